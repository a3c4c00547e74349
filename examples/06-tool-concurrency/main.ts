// What may overlap and what may not: classes with barriers, execution modes, and a rule that builds on both.
import { createRuntime, defineAgent, memory, scriptedModel } from "reprise";
import type { ScriptStep } from "reprise/testing";
import { showClasses, showModes } from "./execution-modes.ts";
import { Folder, fileTools, readBeforeWrite } from "./read-before-write.ts";

console.log("One round. Reads overlap, writes follow each other, promoted tools overlap; classes never mix.");
await showClasses();

console.log("\nOne round with a call that needs a yes. It comes a tick after the question.");
await showModes();

console.log("\nA writer never overwrites a change it has not seen.");
const folder = new Folder();
folder.write("plan.txt", "buy milk");
const read: ScriptStep = { call: "read_file", arguments: { path: "plan.txt" } };
const write = (text: string): ScriptStep => ({ call: "write_file", arguments: { path: "plan.txt", text } });
const rounds: readonly (readonly ScriptStep[])[] = [
  [write("buy bread")],
  [read, write("buy milk, bread")], // the barrier: the read is over before the write is even asked about
  [write("buy milk, bread, jam")],
  [read],
  [write("buy milk, bread, jam")],
];
const model = scriptedModel((_, turn) => {
  if (turn === 3) folder.write("plan.txt", "buy nothing"); // another program, meanwhile
  return rounds[turn - 1] ?? "Saved.";
});
const editor = defineAgent({ id: "editor", model, tools: fileTools(folder), plugins: [readBeforeWrite(folder)] });
const runtime = await createRuntime({ agents: [editor], store: memory() });
const run = await runtime.start({ agent: "editor", input: "Put bread and jam on the plan." });
for await (const { type, data } of run.events()) {
  if (type !== "tool_call_done") continue;
  console.log(
    `  ${data.result.tool_name.padEnd(12)}${data.outcome} ${data.result.message ?? JSON.stringify(data.result.data)}`,
  );
}
console.log(`  plan.txt: ${folder.read("plan.txt").text}`);
await runtime.close();
