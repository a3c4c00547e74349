import { createRuntime, defineAgent, defineTool, scriptedModel, sqlite } from "reprise";

/** Starts a run that waits for an approval, or approves it and continues the thread, and prints the outcomes as a line of JSON. */
const [file = "", what = ""] = process.argv.slice(2);
const add = defineTool({ id: "add", description: "Adds.", needsApproval: true, execute: () => "added" });
const model = scriptedModel([[{ call: "add" }], "Done.", "And more."]);
const store = await sqlite(file);
const runtime = await createRuntime({ agents: [defineAgent({ id: "agent", model, tools: [add] })], store });
const outcomes: unknown[] = [];
if (what === "start") {
  outcomes.push(await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
} else {
  const [question] = await runtime.decisions.list({ threadId: "t1" });
  await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
  outcomes.push(await (await runtime.run(question?.run_id ?? "")).outcome());
  outcomes.push(await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "and?" }));
}
console.log(JSON.stringify(outcomes));
await runtime.close();
await store.close();
