import { createRuntime, memory, sqlite } from "../../packages/reprise/src/index.ts";
import { agent } from "./agents.ts";
import { answerQuestions } from "./child.ts";
import { createServer, listen } from "./reprise.ts";

// A server in a process of its own, on memory or on a SQLite file. Says where it listens, and how much memory it has when it is asked.
const [, , place = "memory"] = process.argv;
const store = place === "memory" ? memory() : await sqlite(place);
const runtime = await createRuntime({ agents: [agent], store, limits: { maxActiveRuns: 1_000 } });
const listening = await listen(createServer({ runtime, streams: { patienceMs: 60_000 } }), { port: 0 });
answerQuestions(listening.port);
