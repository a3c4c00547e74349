// A media node: a model writes the prompt, another one paints it. The picture is a blob, and its handle is the output of the node.
import { createRuntime, memory, scriptedModel } from "reprise";
import { defineWorkflow } from "reprise/workflow";

const poster = defineWorkflow({
  schema_version: "1.0",
  workflow: {
    id: "poster",
    inputs: [{ name: "topic", type: "string", required: true }],
    agents: [
      { id: "writer", provider: "words", model: "small" },
      { id: "painter", provider: "pictures", model: "brush" },
    ],
    nodes: [
      { id: "idea", type: "agent", agent_ref: "writer", prompt_template: "A poster about {{ inputs.topic }}." },
      {
        id: "paint",
        type: "agent",
        agent_ref: "painter",
        prompt_template: "{{ run.outputs.idea }}",
        output_modalities: ["image"],
      },
      { id: "out", type: "output" },
    ],
    edges: [
      { from: "idea", to: "paint" },
      { from: "paint", to: "out" },
    ],
  },
});

const words = scriptedModel(() => [{ text: "A red bicycle in the rain" }]);
const brush = {
  id: "brush",
  generate: async ({ prompt }: { readonly prompt: string }) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><title>${prompt}</title></svg>`;
    return { content: new TextEncoder().encode(svg), media_type: "image/svg+xml", units: 1 };
  },
};
const runtime = await createRuntime({
  agents: [poster],
  providers: [
    { id: "words", model: () => words },
    {
      id: "pictures",
      model: () => words,
      media: () => brush,
      describe: () => ({
        surface: "generative",
        pricing: { input_per_million: 0, output_per_million: 0, media_per_unit: 0.04 },
      }),
    },
  ],
  store: memory(),
});
const run = await runtime.start({ agent: "poster", input: "rain" });
for await (const { type, data } of run.events())
  if (type === "node_cost" && data.node_id === "paint") console.log(`painted for ${data.cost_microcents} microcents`);
const text = await run.text;
console.log(text.replaceAll(/[0-9a-f]{64}/g, "<hash>"));
await runtime.close();
