import { afterAll, beforeAll } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { type PostgresServer, startServer } from "../../stores/test/postgres/start-server.ts";
import { describeA2aClients } from "./support/describe-a2a-clients.ts";
import { describeA2aPrefixes } from "./support/describe-a2a-prefixes.ts";

describeWithService("postgres", "a server on Postgres", (postgres) => {
  let database: PostgresServer | undefined;
  beforeAll(async () => {
    database = await startServer(postgres);
  });
  afterAll(() => database?.stop());
  describeA2aClients(() => database?.url ?? "");
  describeA2aPrefixes(() => database?.url ?? "");
});
