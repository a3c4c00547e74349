// Talks to an agent on a SQLite file until a summary is being made, and is killed once the run that asked for it is over.
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { defineCompactedAgent, QUESTION } from "./compacted-agent.ts";

const [file = "", moment = ""] = process.argv.slice(2);
const die = (): void => {
  process.kill(process.pid, "SIGKILL");
};
const store = await openSqliteStore({ file });
// At once: in the middle of the step. Later: the run is over, and its summary is known to this process alone.
const agent = defineCompactedAgent(moment === "at once" ? die : undefined);
const runtime = await createRuntime({
  agents: [agent],
  env: createNodeEnv(),
  store,
  blobs: store.blobs,
  instanceId: "one",
});
for (;;) {
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: QUESTION });
  let isBegun = false;
  for await (const { type } of run.events()) isBegun ||= type === "compaction_started";
  if (isBegun) die();
}
