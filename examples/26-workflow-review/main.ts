// A review pipeline: critics work at the same time, a condition decides whether an editor is needed, and the run verifies by replay.
import { createRuntime, memory, scriptedModel, textOf } from "reprise";
import { workflow } from "reprise/workflow";

const critic = scriptedModel(({ messages }) => {
  const asked = messages.map(textOf).join("\n");
  const risk = asked.includes("Security") && asked.includes("eval(") ? 9 : 2;
  return [{ text: JSON.stringify({ risk, reason: risk > 5 ? "It evaluates what users send." : "Fine." }) }];
});
const editor = scriptedModel(() => [{ text: "Do not merge: it evaluates what users send." }]);

const runtime = await createRuntime({
  agents: [workflow(new URL("./review.yaml", import.meta.url))],
  providers: [{ id: "scripted", model: (name) => (name === "critic" ? critic : editor) }],
  store: memory(),
});

for (const diff of ["+ return a + b", "+ return eval(input)"]) {
  const run = await runtime.start({ agent: "review", input: JSON.stringify({ diff }) });
  const skipped: string[] = [];
  for await (const { type, data } of run.events())
    if (type === "node_end" && data.outcome === "skipped") skipped.push(data.node_id);
  console.log(diff);
  console.log(`  ${await run.text}`);
  console.log(`  not needed: ${skipped.join(", ")}; replay is equal: ${(await runtime.replay(run.id)).equal}`);
}
await runtime.close();
