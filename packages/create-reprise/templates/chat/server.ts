import { createRuntime } from "reprise";
import { createServer } from "reprise/server";
import { listen, studio } from "reprise/server/node";
import { assistant } from "./agents.ts";

// Threads are in ./threads/reprise.db. A process that is killed continues its runs when it is started again.
const runtime = await createRuntime({ agents: [assistant], instanceId: "server" });
const server = createServer({ runtime, pages: studio() });
const { url, close } = await listen(server, { port: Number(process.env.PORT ?? 8080) });
console.log(`Talk to your agent: ${url}/`);

const stop = async (): Promise<void> => {
  await close();
  await runtime.close();
};
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
