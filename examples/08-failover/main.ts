// A model that is down costs an answer nothing but time: the next one speaks, and the journal tells why.
import { createRuntime, defineAgent, memory, type Runtime, scriptedModel } from "reprise";

const near = scriptedModel(() => [{ fail: "rate_limit" }], "near");
const far = scriptedModel(
  () => [{ text: "Hello from far away." }, { usage: { promptTokens: 12, completionTokens: 5 } }],
  "far",
);

const runtime = await createRuntime({
  store: memory(),
  providers: [
    { id: "near", model: () => near },
    { id: "far", model: () => far },
  ],
  models: [
    { id: "near/small", provider: "near", model: "small" },
    { id: "far/large", provider: "far", model: "large", pricing: { inputPerMillion: 2, outputPerMillion: 8 } },
    // Several models under one id: every thread has its home among them, and the others stand in.
    { id: "either", pool: [{ model: "near/small" }, { model: "far/large", weight: 3 }] },
  ],
  agents: [
    defineAgent({ id: "greeter", model: "near/small", fallbackModels: ["far/large"] }),
    defineAgent({ id: "pooled", model: "either" }),
  ],
});

console.log("The first choice is asked too often, and says so. The next one answers.");
await tell(runtime, "greeter");
console.log("\nFor a while it is not even asked.");
await tell(runtime, "greeter");
console.log("\nIn a pool every thread has a preferred model. The one of this thread does not answer.");
await tell(runtime, "pooled", "t2");
await runtime.close();

async function tell(on: Runtime, agent: string, threadId = "t1"): Promise<void> {
  const run = await on.start({ agent, threadId, input: "Hello?" });
  for await (const { type, data } of run.events()) {
    if (type === "text_delta") console.log(`  ${data.delta}`);
    if (type === "cost_recorded") console.log(`  ${data.model} cost ${data.cost_microcents} microcents`);
    if (type !== "model_routed") continue;
    console.log(`  ${data.requested} → ${data.selected} (${data.reason})`);
    for (const { model, outcome, error, reason } of data.chain) {
      console.log(`    ${model}: ${outcome} ${error ?? reason ?? ""}`.trimEnd());
    }
  }
}
