import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

// The package exports no schema, so its files are read.
const OFFICIAL = join(dirname(createRequire(import.meta.url).resolve("@a2ui/web_core/v0_9")), "schemas");
const OURS = new URL("../src/generative-ui/schemas/", import.meta.url);
const read = (file: string | URL): unknown => JSON.parse(readFileSync(file, "utf8"));

it.each([
  ["server-to-client.json", "server_to_client.json"],
  ["client-to-server.json", "client_to_server.json"],
  ["common-types.json", "common_types.json"],
  ["basic-catalog.json", "catalogs/basic/catalog.json"],
])("%s is the official schema", (ours, official) => {
  expect(read(new URL(ours, OURS))).toEqual(read(join(OFFICIAL, official)));
});
