// Four calls wait at once, in three ways. They are decided out of order, by two processes.
import { createRuntime, memory, type OpenDecision, RepriseError, type Runtime } from "reprise";
import { translateDecision } from "reprise/advanced";
import { desk, done } from "./desk.ts";

/** The open calls, in the order in which the model asked. */
async function showOpen(runtime: Runtime): Promise<readonly OpenDecision[]> {
  const open = await runtime.decisions.list({ threadId: "t1" });
  for (const { tool_id, ticket } of open) {
    console.log(
      `  ${tool_id.padEnd(11)}${ticket?.resume_mode.padEnd(28)}${ticket?.suspension.message ?? ""}`.trimEnd(),
    );
  }
  return open;
}

const store = memory(); // stands for a database both processes use
const today = await createRuntime({ agents: [desk], store });
const run = await today.start({ agent: "desk", threadId: "t1", input: "Settle everything." });
console.log((await run.outcome()).status);
const [ada, bob, , table] = await showOpen(today);

// The second of two calls of the same tool first, with other arguments.
await today.decisions.decide(bob?.id ?? "", { action: "edit", arguments: { to: "Bob", amount: 9 } });
console.log((await run.outcome()).status, "·", done.join(", "));

// An answer the tool cannot use: it asks again, and the old answer does not count for the new question.
await today.decisions.decide(table?.id ?? "", { action: "supply", result: { guests: "many" } });
console.log((await run.outcome()).status);
await today.close();

console.log("\nTomorrow, in another process");
const tomorrow = await createRuntime({ agents: [desk], store });
const [, where, again] = await showOpen(tomorrow);
console.log(`  asked ${again?.suspension} times`);

// What a front end sends, as it sends it, in another order again. Any of the ids of a call will do.
const answers = [
  translateDecision(again?.ticket?.suspension.id ?? "", { guests: 4 }),
  translateDecision(where?.id ?? "", { city: "Oslo" }),
];
await tomorrow.submit({ agent_id: "desk", thread_id: "t1", messages: [], initial_decisions: answers });
const resumed = await tomorrow.run(run.id);
console.log((await resumed.outcome()).status, "·", done.join(", "));

// Two people answer the same question; the first is heard.
const verdicts = await Promise.allSettled([
  tomorrow.decisions.decide(ada?.id ?? "", { action: "deny", reason: "Not this month." }, { decisionId: "from-eve" }),
  tomorrow.decisions.decide(ada?.id ?? "", { action: "approve" }, { decisionId: "from-dan" }),
]);
for (const verdict of verdicts) {
  const error: unknown = verdict.status === "rejected" ? verdict.reason : undefined;
  console.log(" ", RepriseError.is(error) ? error.code : "heard");
}
const outcome = await resumed.outcome();
console.log(outcome.status, "·", outcome.status === "done" && outcome.text);
for (const { role, content } of (await tomorrow.threads.messages("t1")).messages) {
  if (role === "tool") console.log(`  ${String(content)}`);
}
await tomorrow.close();
