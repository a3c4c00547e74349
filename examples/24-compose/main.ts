// Composed agents: three readers at once, a writer, and a critic that has the text written again. No model relays between them.
import { createRuntime, defineAgent, memory, scriptedModel, textOf } from "reprise";
import { parallel, refine, sequence } from "reprise/compose";

const reader = (id: string, finding: string) => defineAgent({ id, model: scriptedModel([finding]) });
const readers = parallel({
  id: "readers",
  steps: [reader("weather", "It rains."), reader("traffic", "The roads are free."), reader("news", "Nothing new.")],
  maxConcurrency: 2,
  onFailure: "collect",
});

const writer = defineAgent({
  id: "writer",
  // The first draft is long. The next one is what the critic asks for.
  model: scriptedModel(({ messages }) => {
    const asked = textOf(messages.at(-1) ?? { content: "" });
    return asked.includes("not accepted")
      ? "Rain, free roads."
      : "It rains, the roads are free, and there is nothing new.";
  }),
});
const critic = defineAgent({
  id: "critic",
  model: scriptedModel(({ messages }) => {
    const draft =
      textOf(messages.at(-1) ?? { content: "" })
        .split("\n")
        .at(-1) ?? "";
    return draft.length < 30 ? "PASS" : "Five words at most.";
  }),
});

const briefing = sequence({
  id: "briefing",
  description: "A briefing for the morning.",
  steps: [
    readers,
    { agent: refine({ id: "text", generator: writer, critic }), input: "Write about {input}, from: {previous}" },
  ],
});

const runtime = await createRuntime({ agents: [briefing], store: memory() });
const run = await runtime.start({ agent: "briefing", input: "the morning" });
console.log(await run.text);

await show(run.id);
console.log("verified by replay:", (await runtime.replay(run.id)).equal);
await runtime.close();

/** The runs below a run, in the order in which they began. */
async function show(parentRunId: string): Promise<void> {
  const { items } = await runtime.runs({ parentRunId });
  for (const { run_id, agent_id, depth = 0 } of items.toReversed()) {
    console.log(`${"  ".repeat(depth)}${agent_id}`);
    await show(run_id);
  }
}
