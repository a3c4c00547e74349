import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const { exports }: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/** The same things under both names. */
const SAME = {
  "./server": "@reprise/server",
  "./server/node": "@reprise/server/node",
  "./server/config": "@reprise/server/config",
  "./ai-sdk": "@reprise/protocols/ai-sdk",
  "./postgres": "@reprise/stores/postgres",
  "./file": "@reprise/stores/file",
  "./nats-buffered": "@reprise/stores/nats-buffered",
};

it("says what can be imported beside the root", () => {
  expect(Object.keys(exports)).toEqual([".", ...Object.keys(SAME)]);
});

it.each(Object.entries(SAME))("%s is %s", async (subpath, name) => {
  expect({ ...(await import(`reprise${subpath.slice(1)}`)) }).toEqual({ ...(await import(name)) });
});
