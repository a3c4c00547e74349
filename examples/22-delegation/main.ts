// Delegation: a lead has three agents work for it. One works in the background, one needs an approval, one judges.
import { createRuntime, defineAgent, defineTool, memory, scriptedModel, textOf } from "reprise";
import { agentTools } from "reprise/plugins/agent-tools";
import { z } from "zod";

const publish = defineTool({
  id: "publish",
  description: "Publishes a text.",
  inputSchema: z.object({ text: z.string() }),
  needsApproval: true,
  execute: ({ text }) => `published: ${text}`,
});
const writer = defineAgent({
  id: "writer",
  description: "Writes and publishes texts.",
  tools: [publish],
  model: scriptedModel([[{ call: "publish", arguments: { text: "Rain falls." } }], "Rain falls."]),
});

const critic = defineAgent({
  id: "critic",
  description: "Judges texts.",
  model: scriptedModel(({ messages }) => `"${textOf(messages[0] ?? { content: "" })}" is short and true.`),
});

// The archivist is slow: its tool ends when the program says so.
const slow = Promise.withResolvers<string>();
const search = defineTool({
  id: "search",
  description: "Searches.",
  class: "read_only",
  execute: () => slow.promise,
});
const archivist = defineAgent({
  id: "archivist",
  description: "Finds old texts.",
  tools: [search],
  model: scriptedModel([[{ call: "search" }], "There are two older texts about rain."]),
});

const run = (agent_id: string, prompt: string, background = false) =>
  ({ call: "agent_run", arguments: { agent_id, prompt, background } }) as const;
const lead = defineAgent({
  id: "lead",
  instructions: "Have the archivist search in the background. Have the writer write, and the critic judge the text.",
  plugins: [agentTools()],
  model: scriptedModel(({ messages }, turn) => {
    const results = messages.filter(({ role }) => role === "tool").map((message) => JSON.parse(textOf(message)));
    if (turn === 1) return [run("archivist", "Find texts about rain.", true), run("writer", "Write about rain.")];
    if (turn === 2) return [run("critic", results.at(-1).output)];
    if (turn === 3) return `The critic says: ${results.at(-1).output}`;
    // The archivist's report came as a message on this thread.
    return `By the way: ${
      messages
        .map(textOf)
        .find((text) => text.includes("older texts"))
        ?.match(/There are .*rain\./)?.[0]
    }`;
  }),
});

const runtime = await createRuntime({ agents: [lead, writer, critic, archivist], store: memory() });
const first = await runtime.start({ agent: "lead", threadId: "t1", input: "A text about rain, please." });

// The lead's events name each run that it waits for.
for await (const { type, data } of first.events()) {
  if (type !== "activity_snapshot") continue;
  const { child_run_id } = data.content as { child_run_id: string };
  const child = await runtime.run(child_run_id);
  const outcome = await child.outcome();
  console.log(`The lead waits for the ${(await child.record()).agent_id}.`);
  for (const { id, tool_id } of outcome.status === "waiting" ? outcome.open : []) {
    console.log(`  A person is asked: ${tool_id}? Yes.`);
    await runtime.decisions.decide(id, { action: "approve" });
  }
}
console.log(await first.text);

// The lead is done, the archivist is not. Its report becomes a run on the lead's thread.
slow.resolve("2 texts");
const children = (await runtime.runs({ parentRunId: first.id })).items.map(({ run_id }) => run_id);
for (const id of children) await (await runtime.run(id)).outcome();
const report = (await runtime.mailbox.list({ threadId: "t1" })).items.at(-1);
const second = await runtime.run(report?.run_id ?? "");
console.log(await second.text);

const runs = [first.id, ...children, second.id];
const replays = await Promise.all(runs.map((id) => runtime.replay(id)));
console.log(`${replays.filter(({ equal }) => equal).length} of ${runs.length} runs verify by replay.`);
await runtime.close();
