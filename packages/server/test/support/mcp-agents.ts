import { textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";

const wire = defineTool({
  id: "wire",
  description: "Sends money.",
  inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  needsApproval: true,
  execute: ({ to }: { to: string }) => `sent to ${to}`,
});

const lookup = defineTool({
  id: "lookup",
  description: "Looks a word up.",
  // Clients of 2026-07-28 repeat the word in a header.
  inputSchema: { type: "object", properties: { word: { type: "string", "x-mcp-header": "Word" } }, required: ["word"] },
  class: "read_only",
  execute: ({ word }: { word: string }) => ({ meaning: `what ${word} means` }),
});

/** The tool of the agent `slow`: it is done when the test says so, and notices when it is cancelled. */
export interface Brake {
  release(): void;
  readonly state: { started: number; cancelled: number };
}

/** Agents that show what MCP clients have to cope with. */
export function mcpAgents(): { readonly agents: readonly Agent[]; readonly brake: Brake } {
  const state = { started: 0, cancelled: 0 };
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = defineTool({
    id: "wait",
    description: "Waits.",
    idempotent: true,
    execute: async (_, { signal, progress }) => {
      state.started += 1;
      progress({ progress: 1, message: "Half way." });
      const stopped = new Promise<never>((__, reject) =>
        signal.addEventListener("abort", () => {
          state.cancelled += 1;
          reject(signal.reason);
        }),
      );
      await Promise.race([promise, stopped]);
      return "waited";
    },
  });
  const said = (messages: readonly Parameters<typeof textOf>[0][]): string =>
    textOf(messages.at(-1) ?? { content: "" });
  const once =
    (call: string, given: (text: string) => Record<string, string>) =>
    ({ messages }: { readonly messages: readonly { readonly role: string; readonly content: never }[] }) =>
      messages.at(-1)?.role === "tool" ? `Done: ${said(messages)}` : [{ call, arguments: given(said(messages)) }];
  const agents = [
    defineAgent({
      id: "writer",
      description: "Writes.",
      model: scriptedModel(({ messages }) => `You said ${said(messages)} (${messages.length}).`, "writer"),
    }),
    defineAgent({
      id: "counter",
      description: "Counts.",
      model: scriptedModel(() => '{"count":3}', "counter"),
      outputSchema: { type: "object", properties: { count: { type: "number" } }, required: ["count"] },
    }),
    defineAgent({
      id: "payer",
      description: "Pays.",
      model: scriptedModel(once("wire", (to) => ({ to })) as never, "payer"),
      tools: [wire, lookup],
    }),
    defineAgent({
      id: "slow",
      description: "Takes its time.",
      model: scriptedModel(once("wait", () => ({})) as never, "slow"),
      tools: [wait],
    }),
  ];
  return { agents, brake: { release: () => resolve(), state } };
}
