// Map-reduce over files: every file is an item of a fan-out, two at a time. An item that fails is an item of the list.
import { createRuntime, memory, scriptedModel, textOf } from "reprise";
import { nodeWorkflows, workflow } from "reprise/workflow";

const reader = scriptedModel(({ messages }) => {
  const text = messages.flatMap((message) => (message.role === "user" ? [textOf(message)] : [])).join("");
  return [{ text: `${text.trim().split("\n").length} lines, "${text.split("\n", 1)[0]}"` }];
});

const runtime = await createRuntime({
  agents: [workflow(new URL("./summarise.yaml", import.meta.url))],
  providers: [{ id: "scripted", model: () => reader }],
  // Files are read below this folder, and nowhere else.
  programs: [nodeWorkflows({ folder: import.meta.dirname })],
  store: memory(),
});
const files = ["moon.txt", "tea.txt", "../../package.json"];
const run = await runtime.start({ agent: "summarise", input: JSON.stringify({ files }) });
console.log(await run.text);
await runtime.close();
