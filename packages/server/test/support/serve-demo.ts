import { createServer } from "@reprise/server";
import { listen } from "@reprise/server/node";
import { postgres } from "@reprise/stores/postgres";
import { createRuntime, sqlite } from "reprise";
import { demoAgents } from "./demo-agents.ts";

// A server on a SQLite file or a Postgres database, until it is told to stop. Says where it listens.
const [, , place = ""] = process.argv;
const store = await (place.startsWith("postgres") ? postgres(place) : sqlite(place));
const runtime = await createRuntime({ agents: demoAgents(), store });
const server = createServer({ runtime });
const listening = await listen(server, { port: 0 });
console.log(listening.url);

process.once("SIGTERM", async () => {
  await listening.close();
  await runtime.close();
  await store.close();
});
