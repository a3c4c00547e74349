// Compaction: a thread outgrows its window, a model summarises the old part beside the run, and the run still verifies by replay.
import { createRuntime, defineAgent, memory, scriptedModel, textOf } from "reprise";
import { context } from "reprise/plugins/context";

// One model answers and summarises. The plugin's questions have a system text of their own.
const model = scriptedModel(({ system, messages }) => {
  if (system.startsWith("You summarise")) return "The user plans a trip to Lisbon in May and likes trams.";
  const summary = messages.find((message) => textOf(message).includes("likes trams"));
  const known = summary === undefined ? "the messages themselves" : "a summary and the newest messages";
  return `I know ${known}. ${"Noted, and here is some more advice about your trip. ".repeat(6)}`;
});

const planner = defineAgent({
  id: "planner",
  model,
  instructions: "You plan trips.",
  plugins: [context({ summaryMaxTokens: 50, minGainTokens: 50 })],
  contextPolicy: { maxContextTokens: 2_000, maxOutputTokens: 400, autocompactThreshold: 300 },
});
const runtime = await createRuntime({ agents: [planner], store: memory() });

const questions = ["To Lisbon, in May.", "Which trams?", "Where do I eat?", "What does it cost?", "Anything else?"];
for (const input of questions) {
  const run = await runtime.start({ agent: "planner", threadId: "trip", input });
  for await (const event of run) {
    if (event.type === "compaction_started")
      console.log(`  summarising ${event.data.messages} messages, in the background: ${event.data.background}`);
    if (event.type === "compaction_completed") console.log(`  summary: ${event.data.summary_preview}`);
    if (event.type === "cost_recorded" && event.data.plugin !== undefined)
      console.log(`  paid for by this run: a question of the plugin ${event.data.plugin}`);
  }
  console.log(`${input} -> ${(await run.text).split(".")[0]}.`);
  const { equal } = await runtime.replay(run.id);
  if (!equal) throw new Error("A replay came to something else.");
}

const { messages } = await runtime.threads.messages("trip");
console.log(
  `The thread keeps all ${messages.length} messages; the last request had ${model.requests.at(-1)?.messages.length}.`,
);
await runtime.close();
