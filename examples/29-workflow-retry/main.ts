// Retry and fallback: a tool that fails is called again after a pause, and a model that is down is replaced by the next one of its chain.
import { createRuntime, defineTool, memory, scriptedModel } from "reprise";
import { defineWorkflow } from "reprise/workflow";

let calls = 0;
const weather = defineTool({
  id: "weather",
  description: "Tells the weather of a city.",
  class: "read_only",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => {
    calls += 1;
    if (calls === 1) throw new Error("The station does not answer.");
    return `rain in ${city}`;
  },
});
const near = scriptedModel(() => [{ fail: "overloaded" }]);
const far = scriptedModel(() => [{ text: "Take an umbrella." }]);

const advise = defineWorkflow({
  schema_version: "1.0",
  workflow: {
    id: "advise",
    inputs: [{ name: "city", type: "string", required: true }],
    agents: [
      {
        id: "adviser",
        provider: "near",
        model: "small",
        fallback_chain: [{ provider: "far", model: "large", max_attempts: 1 }],
      },
    ],
    nodes: [
      {
        id: "look",
        type: "tool",
        tool: "weather",
        arguments: { city: "{{ inputs.city }}" },
        retry: { max: 3, backoff: "exponential", backoff_ms: 10 },
      },
      {
        id: "advice",
        type: "agent",
        agent_ref: "adviser",
        prompt_template: "What to wear in {{ run.outputs.look }}?",
        // Of each model of the chain.
        retry: { max: 2, backoff_ms: 10 },
      },
      { id: "out", type: "output" },
    ],
    edges: [
      { from: "look", to: "advice" },
      { from: "advice", to: "out" },
    ],
  },
});

const runtime = await createRuntime({
  agents: [advise],
  tools: [weather],
  providers: [
    { id: "near", model: () => near },
    { id: "far", model: () => far },
  ],
  store: memory(),
});
const run = await runtime.start({ agent: "advise", input: "Bergen" });
for await (const { type, data } of run.events()) {
  if (type === "node_start") console.log(`${data.node_id}, attempt ${data.attempt}`);
  if (type === "node_retry") console.log(`  ${data.error.code}: again in ${data.delay_ms} ms`);
  if (type === "node_delta") console.log(`  ${data.model} answers`);
}
console.log(await run.text);
console.log("the near model was asked", near.requests.length, "times");
await runtime.close();
