// A run becomes a case. A change of the prompt is then caught by that case, before any customer meets it.
import { createRuntime, defineAgent, defineTool, type LanguageModel, memory, scriptedModel } from "reprise";
import { createNodeEnv } from "reprise/advanced";
import { runExperiment, saveCase } from "reprise/evals";

const refunded: string[] = [];
const find = defineTool({
  id: "find_order",
  description: "Finds an order.",
  class: "read_only",
  execute: () => ({ id: "a1", total: 20 }),
});
const refund = defineTool({
  id: "refund",
  description: "Refunds an order.",
  execute: () => {
    refunded.push("a1");
    return { receipt: 7 };
  },
});

/** Stands for a model that does what its prompt says: it looks before it refunds only when it is told to. */
const model: LanguageModel = scriptedModel(({ system, messages }) => {
  const made = messages.filter(({ role }) => role === "tool").length;
  const plan = system.includes("Look the order up first.") ? ["find_order", "refund"] : ["refund"];
  const next = plan[made];
  return next === undefined ? "Your order is refunded." : [{ call: next }];
});
const clerk = (instructions: string) => defineAgent({ id: "clerk", model, instructions, tools: [find, refund] });
const careful = clerk("Refund orders. Look the order up first.");
const hasty = clerk("Refund orders.");

const env = createNodeEnv();
const runtime = await createRuntime({ agents: [careful], store: memory() });
const run = await runtime.start({ agent: "clerk", input: "Refund order a1. I am ada@example.com." });
await run.outcome();
const evalCase = await saveCase(await runtime.exportRun(run.id), { id: "looks-first", env });
await runtime.close();
console.log(`saved ${evalCase.id}: ${evalCase.expect.tools?.calls.map(({ tool }) => tool).join(", ")}`);
console.log(`ada@example.com is in it: ${JSON.stringify(evalCase).includes("ada@example.com")}`);

for (const [what, mode, agent] of [
  ["the recording against itself", "verify", careful],
  ["recorded answers, the agent of today", "rescript", careful],
  ["a live model with the same prompt", "rerun", careful],
  ["a live model with the new prompt", "rerun", hasty],
] as const) {
  const { verdict, counts, cases } = await runExperiment([evalCase], { mode, definitions: { agents: [agent] }, env });
  console.log(`\n${what}: ${verdict}, ${counts.model_calls} model calls, ${counts.tool_calls} tool calls`);
  for (const check of cases[0]?.trials[0]?.checks ?? [])
    if (check.verdict !== "passed") console.log(`  ${check.name}: ${check.message}`);
}
console.log(`\nrefunds that were really made: ${refunded.length}`);
