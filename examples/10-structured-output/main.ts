// An answer that is data: asked for by a schema, checked, and sent back once when it does not fit.
import { createRuntime, defineAgent, memory, scriptedModel } from "reprise";
import { z } from "zod";

const Weather = z.object({ city: z.string(), celsius: z.number(), sky: z.enum(["clear", "cloudy", "rain"]) });

const model = scriptedModel([
  '{"city":"Lisbon","celsius":"warm","sky":"clear"}',
  '{"city":"Lisbon","celsius":24,"sky":"clear"}',
  "I would rather not say.",
  "Really not.",
]);
const reporter = defineAgent({ id: "reporter", model, instructions: "Report the weather.", outputSchema: Weather });
const runtime = await createRuntime({ agents: [reporter], store: memory() });

const first = await runtime.runToCompletion({ agent: "reporter", threadId: "t1", input: "Lisbon?" });
if (first.status === "done" && first.output !== undefined) {
  const { city, celsius, sky } = first.output; // typed by the schema, and checked against it
  console.log(`${city}: ${celsius} degrees, ${sky}. The model was asked ${model.requests.length} times.`);
}
const { messages } = await runtime.threads.messages("t1", { visibility: "any" });
for (const { role, content } of messages) console.log(`  ${role}: ${String(content).split("\n")[0]}`);

const second = await runtime.runToCompletion({ agent: "reporter", threadId: "t1", input: "And tomorrow?" });
console.log(second.status === "failed" ? `It failed: ${second.code}. No half answer passes for data.` : second.status);
await runtime.close();
