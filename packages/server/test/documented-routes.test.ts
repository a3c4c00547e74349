import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROUTES } from "@reprise/server";
import { expect, it } from "vitest";

const page = readFileSync(join(import.meta.dirname, "../../../docs/how-to/expose-http-sse.md"), "utf8");
const rows = page.split("\n").filter((line) => /^\| `(GET|POST|PUT|PATCH|DELETE) /.test(line));

/** The paths a row is about: `GET /a`, `/b` are two of the same method. */
function pathsIn(row: string): readonly string[] {
  const [, cell = ""] = row.split("|");
  return [...cell.matchAll(/`(?:[A-Z]+ )?([^`]+)`/g)].map(([, path = ""]) => path);
}

it.each(Object.values(ROUTES).flat())("the page has $method $path, with its scope", ({ method, path, scope }) => {
  const row = rows.find((line) => line.startsWith(`| \`${method} `) && pathsIn(line).includes(path));
  const wanted = scope === "public" ? "–" : [scope].flat().join(", ");
  expect(row?.split("|")[3]?.trim()).toBe(wanted);
});
