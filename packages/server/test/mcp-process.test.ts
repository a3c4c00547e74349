import { join } from "node:path";
import { describe } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { describeMcpRestarts } from "./support/describe-mcp-processes.ts";

describe("an MCP server on SQLite", () => describeMcpRestarts(() => join(createTemporaryFolder(), "app.db")));
