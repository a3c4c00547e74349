import { awaitRun, type NewChildRun } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async (child: NewChildRun, { runs }) => awaitRun(await runs.start(child)),
});

const pay = defineTool({
  id: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { to: { type: "string" } } },
  needsApproval: true,
  execute: ({ to }: { to: string }) => `paid ${to}`,
});

/** A boss that has a clerk work for each name, at the same time; a clerk needs leave to pay. */
export function teamAgents(names: readonly string[] = ["Ada"]): readonly Agent[] {
  const calls = names.map((name) => ({ call: "delegate", arguments: { agentId: "clerk", prompt: name, key: name } }));
  const boss = scriptedModel(({ messages }) => (messages.at(-1)?.role === "tool" ? "All is paid." : calls), "boss");
  const clerk = scriptedModel(
    ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? "I paid."
        : [{ text: "I need leave." }, { call: "pay", arguments: { to: String(messages.at(-1)?.content) } }],
    "clerk",
  );
  return [
    defineAgent({ id: "boss", model: boss, tools: [delegate] }),
    defineAgent({ id: "clerk", model: clerk, tools: [pay] }),
  ];
}
