import { afterAll, beforeAll } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { type PostgresServer, startServer } from "../../stores/test/postgres/start-server.ts";
import { describeMcpProcesses } from "./support/describe-mcp-processes.ts";

describeWithService("postgres", "an MCP server on Postgres", (postgres) => {
  let database: PostgresServer | undefined;
  beforeAll(async () => {
    database = await startServer(postgres);
  });
  afterAll(() => database?.stop());
  describeMcpProcesses(() => database?.url ?? "");
});
