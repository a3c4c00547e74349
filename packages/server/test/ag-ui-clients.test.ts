import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { describeAgUiClients } from "./support/describe-ag-ui-clients.ts";

describe("a server on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-test-"));
  describeAgUiClients(() => join(folder, "demo.db"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});
