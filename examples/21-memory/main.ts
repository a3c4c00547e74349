// Memory: what an agent learns about a user in one thread, it knows in the next one.
import { createRuntime, defineAgent, memory, scriptedModel, textOf } from "reprise";
import { agentMemory, deleteNotes, listNotes } from "reprise/plugins/memory";

// A real model decides by itself what to remember. This one notes allergies, and reads its notes before it recommends a dish.
const model = scriptedModel(({ messages }) => {
  const said = textOf(messages.find(({ role }) => role === "user") ?? { content: "" });
  const notes = textOf(messages.at(-1) ?? { content: "" });
  if (messages.at(-1)?.role === "tool") return "I will remember that.";
  const [allergy] = /allergic to \w+/.exec(said) ?? [];
  if (allergy !== undefined) return [{ call: "remember", arguments: { text: `The guest is ${allergy}.` } }];
  return notes.includes("allergic to nuts") ? "The apple tart: it has no nuts." : "The walnut cake.";
});
const waiter = defineAgent({ id: "waiter", model, plugins: [agentMemory()] });
const runtime = await createRuntime({ agents: [waiter], store: memory() });

async function say(resourceId: string, threadId: string, input: string): Promise<void> {
  const outcome = await runtime.runToCompletion({ agent: "waiter", threadId, resourceId, input });
  console.log(
    `${resourceId} (${threadId}): ${input}\nwaiter: ${outcome.status === "done" ? outcome.text : outcome.status}\n`,
  );
}

await say("ada", "monday", "Hello. I am allergic to nuts.");
await say("ada", "friday", "Which dessert do you recommend?");
await say("bob", "sunday", "Which dessert do you recommend?");

for (const { id, text, threadId, agentId } of await listNotes(runtime.documents, { resourceId: "ada" })) {
  console.log(`${id}: ${text} (noted by ${agentId} in the thread ${threadId})`);
}
console.log("deleted:", await deleteNotes(runtime.documents, { resourceId: "ada" }));
await say("ada", "later", "Which dessert do you recommend?");
await runtime.close();
