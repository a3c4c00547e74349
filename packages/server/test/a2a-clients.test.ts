import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { describeA2aClients } from "./support/describe-a2a-clients.ts";
import { describeA2aPrefixes } from "./support/describe-a2a-prefixes.ts";

describe("a server on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-test-"));
  describeA2aClients(() => join(folder, "demo.db"));
  describeA2aPrefixes(() => join(folder, "prefixes.db"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});
