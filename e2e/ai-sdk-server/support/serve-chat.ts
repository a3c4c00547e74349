import { createServer } from "@reprise/server";
import { listen } from "@reprise/server/node";
import { postgres } from "@reprise/stores/postgres";
import { createRuntime, sqlite } from "reprise";
import { chatAgent } from "./chat-agent.ts";

// A server for chats on a SQLite file or a Postgres database, until it is told to stop. Says where it listens.
const [, , place = "", msPerWord = "5", port = "0"] = process.argv;
const store = await (place.startsWith("postgres") ? postgres(place) : sqlite(place));
const runtime = await createRuntime({ agents: [chatAgent(Number(msPerWord))], store });
const listening = await listen(createServer({ runtime }), { port: Number(port) });
console.log(listening.url);

process.once("SIGTERM", async () => {
  await listening.close();
  await runtime.close();
  await store.close();
});
