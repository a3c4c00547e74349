import { createRuntime, scriptedModel, sqlite } from "reprise";
import { createClerk } from "./clerk.ts";

/** A process that records a run in a file, decides what it asks, and says the run's id. */
const call = (name: string, ms: number) => ({ call: name, arguments: { ms } });
const model = scriptedModel([
  [
    { text: ["Let ", "me ", "see."] },
    call("read", 20),
    call("read", 5),
    call("write", 1),
    call("ask", 0),
    call("read", 1),
  ],
  [{ text: "Well." }, { cut: true }],
  [{ text: " Once more." }, call("read", 3), call("read", 0)],
  [{ reasoning: "Hm." }, { text: "Done." }],
]);
const runtime = await createRuntime({
  agents: [createClerk(model, () => undefined)],
  store: sqlite(process.argv[2] ?? ""),
});
const run = await runtime.start({ agent: "clerk", threadId: "t1", input: "go" });
for (let outcome = await run.outcome(); outcome.status === "waiting"; outcome = await run.outcome()) {
  for (const { id, tool_id } of outcome.open) {
    const answer =
      tool_id === "ask" ? ({ action: "supply", result: "this" } as const) : ({ action: "approve" } as const);
    await runtime.decisions.decide(id, answer);
  }
}
await runtime.close();
console.log(run.id);
