// Hooks: a program outside of the process decides about tool calls before they run.
import { fileURLToPath } from "node:url";
import { createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { hooks } from "reprise/plugins/hooks";
import { z } from "zod";

const remove = defineTool({
  id: "delete_file",
  description: "Deletes a file.",
  destructive: true,
  inputSchema: z.object({ path: z.string() }),
  execute({ path }) {
    console.log(`  (deleted ${path})`);
    return "deleted";
  },
});
const deleting = (path: string) => ({ call: "delete_file", arguments: { path } }) as const;
const model = scriptedModel([[deleting("/tmp/a"), deleting("/etc/passwd"), deleting("/home/ada/b")], "Done."]);
const gate = [process.execPath, fileURLToPath(new URL("./gate.mjs", import.meta.url))];
const agent = defineAgent({
  id: "cleaner",
  model,
  tools: [remove],
  plugins: [hooks({ preTool: [{ name: "gate", tool: "delete_*", command: gate }] })],
});
const runtime = await createRuntime({ agents: [agent], store: memory() });

const run = await runtime.start({ agent: "cleaner", threadId: "t1", input: "Clean up." });
const outcome = await run.outcome();
for (const { id, ticket } of outcome.status === "waiting" ? outcome.open : []) {
  console.log(`A person is asked: ${ticket?.suspension.message}`);
  await runtime.decisions.decide(id, { action: "approve" });
}
console.log(await run.text);

for await (const event of run.events()) {
  if (event.type === "hook_completed")
    console.log(`  ${event.data.hook}: ${event.data.decision} ${event.data.reason ?? ""}`.trimEnd());
}
await runtime.close();
