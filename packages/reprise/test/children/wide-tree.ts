import { createRuntime, defineAgent, type Message, scriptedModel, sqlite, textOf } from "reprise";
import { agentTools } from "reprise/plugins/agent-tools";

/** Has one agent start many tasks in one turn, on a SQLite file, and prints how it ended. */
const [file = "", count = "", slots = ""] = process.argv.slice(2);
const ANSWER = "x".repeat(10_000);

const resultsIn = (messages: readonly Message[]) => messages.filter(({ role }) => role === "tool").map(textOf);
const lead = scriptedModel(({ messages }) => {
  const results = resultsIn(messages);
  if (results.length > 0) return String(results.filter((text) => JSON.parse(text).output === ANSWER).length);
  const task = (index: number) => ({ call: "agent_run", arguments: { agent_id: "worker", prompt: `Task ${index}` } });
  return Array.from({ length: Number(count) }, (_, index) => task(index));
});
const store = await sqlite(file);
const runtime = await createRuntime({
  store,
  agents: [
    defineAgent({ id: "lead", model: lead, plugins: [agentTools()] }),
    defineAgent({ id: "worker", model: scriptedModel(() => ANSWER) }),
  ],
  limits: { delegation: { depth: 1, children: Number(count), tree: Number(count) }, maxActiveRuns: Number(slots) },
});
const run = await runtime.start({ agent: "lead", input: "Go." });
const text = await run.text;
const { items, total } = await runtime.runs({ parentRunId: run.id, status: "done", limit: 200 });
const { total: sum } = await run.record();
console.log(
  JSON.stringify({ text, total, threads: new Set(items.map(({ thread_id }) => thread_id)).size, runs: sum?.runs }),
);
await runtime.close();
await store.close();
