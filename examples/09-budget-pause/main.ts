// A run that may not spend more than it was given, and asks before it does.
import { createRuntime, defineAgent, defineTool, memory, type RunHandle, scriptedModel, usd } from "reprise";

const readChapter = defineTool({
  id: "read_chapter",
  description: "Reads the next chapter.",
  class: "read_only",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  execute: () => "Chapter two. It rained.",
});

const model = scriptedModel([
  [{ call: "read_chapter", arguments: {} }, { usage: { promptTokens: 300, completionTokens: 20 } }],
  [{ text: "It rains in chapter two." }, { usage: { promptTokens: 330, completionTokens: 10 } }],
]);

const runtime = await createRuntime({
  store: memory(),
  providers: [{ id: "library", model: () => model }],
  models: [
    {
      id: "library/reader",
      provider: "library",
      model: "reader",
      maxOutputTokens: 200,
      pricing: { inputPerMillion: 10, outputPerMillion: 10 },
    },
  ],
  agents: [defineAgent({ id: "reader", model: "library/reader", tools: [readChapter] })],
});

const run = await runtime.start({
  agent: "reader",
  input: "What happens in the book?",
  // Before a model is asked, the most its answer can cost is put aside. What is not used comes back.
  budget: { limitMicrocents: usd(0.008), onExceeded: "pause" },
});

const paused = await run.outcome();
console.log(`It is ${paused.status}.`);
await show(run);

if (paused.status === "waiting") {
  for (const question of paused.open) {
    console.log(`\n${question.ticket?.suspension.message}`);
    console.log(
      `It asks for ${JSON.stringify(question.arguments)}. A person approves, perhaps tomorrow, perhaps in another process.`,
    );
    await runtime.decisions.decide(question.id, { action: "approve" });
  }
}

const done = await run.outcome();
console.log(done.status === "done" ? `\n${done.text}` : done.status);
await show(run);
await runtime.close();

async function show({ id }: RunHandle): Promise<void> {
  const { spent, limit_microcents } = await runtime.budgets.get(id);
  console.log(`Spent ${spent.microcents} of ${limit_microcents} microcents, for ${spent.tokens} tokens.`);
}
