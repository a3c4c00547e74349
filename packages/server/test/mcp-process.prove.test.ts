import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type PostgresServer, startServer } from "../../stores/test/postgres/start-server.ts";
import { describeMcpProcesses, describeMcpRestarts } from "./support/describe-mcp-processes.ts";

describeWithService("postgres", "an MCP server on Postgres", (postgres) => {
  let database: PostgresServer | undefined;
  beforeAll(async () => {
    database = await startServer(postgres);
  });
  afterAll(() => database?.stop());
  describeMcpRestarts(() => database?.url ?? "");
  describeMcpProcesses(() => database?.url ?? "");
});

describe("an MCP server on SQLite", () => describeMcpProcesses(() => join(createTemporaryFolder(), "app.db")));
