// Starts a composed run on a SQLite file and is killed when one of its agents is about to be asked.
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { defineComposedAgents } from "./composed-agents.ts";

const [file = "", when = ""] = process.argv.slice(2);
const store = await openSqliteStore({ file });
const definitions = defineComposedAgents((agent) => {
  if (agent === when) process.kill(process.pid, "SIGKILL");
});
const options = { env: createNodeEnv(), store, blobs: store.blobs, instanceId: "one" };
const runtime = await createRuntime({ ...definitions, ...options });
await runtime.runToCompletion({ agent: "report", threadId: "t1", input: "Rain" });
