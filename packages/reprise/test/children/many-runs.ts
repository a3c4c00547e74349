import { createRuntime, defineAgent, defineTool, scriptedModel, sqlite } from "reprise";

/** Completes rounds of parallel runs on a SQLite file, and prints how much memory is held after each, as a line of JSON. */
const [file = "", rounds = "", parallel = ""] = process.argv.slice(2);
const { gc } = globalThis;
if (gc === undefined) throw new Error("Start this program with --expose-gc.");

const look = defineTool({ id: "look", description: "Looks.", execute: () => "seen" });
const agent = defineAgent({ id: "agent", model: scriptedModel([[{ call: "look" }], "done"]), tools: [look] });
const store = await sqlite(file);
const runtime = await createRuntime({ agents: [agent], store });
for (let round = 1; round <= Number(rounds); round += 1) {
  const runs = Array.from({ length: Number(parallel) }, (_, index) =>
    runtime.runToCompletion({ agent: "agent", threadId: `t${round}-${index}`, input: "go" }),
  );
  const outcomes = await Promise.all(runs);
  if (!outcomes.every(({ status }) => status === "done")) throw new Error("A run did not complete.");
  gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  console.log(JSON.stringify({ heap: heapUsed + external, rss }));
}
await runtime.close();
await store.close();
