// Reminders: a tool leaves one for the next request, and a rule helps when a tool fails.
import {
  changeState,
  createRuntime,
  defineAgent,
  defineTool,
  memory,
  scriptedModel,
  ToolError,
  textOf,
  toolEffect,
} from "reprise";
import { reminder, reminders } from "reprise/plugins/reminder";
import { z } from "zod";

const book = defineTool({
  id: "book_table",
  description: "Books a table.",
  inputSchema: z.object({ at: z.string() }),
  execute({ at }) {
    if (at === "19:00") throw new ToolError("denied", "fully booked");
    return toolEffect({ booked: at }, [
      changeState(reminders.add("Tell the guest that the table is held for 15 minutes.")),
    ]);
  },
});

const rules = [
  {
    tool: "book_*",
    outcome: "failed",
    text: "Offer the guest two other times before you try again.",
    cooldownTurns: 5,
  },
] as const;

const model = scriptedModel([
  [{ call: "book_table", arguments: { at: "19:00" } }],
  "19:00 is taken. 18:30 or 20:00?",
  [{ call: "book_table", arguments: { at: "20:00" } }],
  "Booked for 20:00. The table is held for 15 minutes.",
]);
const host = defineAgent({ id: "host", model, tools: [book], plugins: [reminder({ rules })] });
const runtime = await createRuntime({ agents: [host], store: memory() });

for (const input of ["A table at 19:00.", "20:00 then."]) {
  const outcome = await runtime.runToCompletion({ agent: "host", threadId: "guest", input });
  console.log(`> ${input}\n${outcome.status === "done" ? outcome.text : outcome.status}\n`);
}

for (const [index, { messages }] of model.requests.entries()) {
  const last = textOf(messages.at(-1) ?? { content: "" });
  console.log(`request ${index + 1}: ${/plugin:reminder/.test(last) ? last.replaceAll("\n", " ") : "no reminder"}`);
}
console.log("left:", reminders.read(await runtime.threads.state("guest")).items.length);
await runtime.close();
