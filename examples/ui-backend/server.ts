// One server for the pages copilotkit-starter, travel-ui and research-ui: three agents, one store, every protocol.
import { createRuntime, sqlite } from "reprise";
import { createServer } from "reprise/server";
import { listen } from "reprise/server/node";
import { painter } from "./painter.ts";
import { researcher } from "./research.ts";
import { planner } from "./travel.ts";

const [, , file = "pages.db", port = "8080"] = process.argv;
const store = await sqlite(file);
const runtime = await createRuntime({ agents: [painter, planner, researcher], store });
const listening = await listen(createServer({ runtime }), { port: Number(port) });
console.log(listening.url);

process.once("SIGTERM", async () => {
  await listening.close();
  await runtime.close();
  await store.close();
});
