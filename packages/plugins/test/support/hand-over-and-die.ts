// Starts a run on a SQLite file and is killed when an agent is about to be asked.
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { defineHandedOverAgents } from "./handed-over-agents.ts";

const [file = "", when = ""] = process.argv.slice(2);
const store = await openSqliteStore({ file });
const agents = defineHandedOverAgents((agent) => {
  if (agent === when) process.kill(process.pid, "SIGKILL");
});
const runtime = await createRuntime({ agents, env: createNodeEnv(), store, blobs: store.blobs, instanceId: "one" });
await runtime.runToCompletion({ agent: "clerk", threadId: "t1", input: "Help me." });
