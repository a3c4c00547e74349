import { textOf } from "@reprise/contracts";
import { type ScriptTurn, scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";

/** Pays, once somebody says yes. */
const pay = defineTool({
  id: "pay",
  description: "Pays an amount.",
  inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  needsApproval: true,
  idempotent: true,
  execute: (input) => ({ paid: input }),
});

/** Adds, without asking. */
const add = defineTool({
  id: "add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  class: "read_only",
  execute: (input) => Object.values(input).reduce<number>((sum, part) => sum + Number(part), 0),
});

/** Does what the last message says: `pay`, `use <tool>`, `stall`, `count <n>`, `fail`; anything else is repeated. */
function play(request: {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}): ScriptTurn {
  const last = request.messages.at(-1);
  if (last?.role === "tool") return "Done.";
  // The demo's messages are plain texts or parts, as textOf takes them.
  const said = last === undefined ? "" : textOf(last as Parameters<typeof textOf>[0]);
  const [word, amount = "3"] = said.split(" ");
  if (word === "pay") return [{ call: "pay", arguments: { amount: Number(amount) } }];
  if (word === "use") return [{ call: amount }];
  if (word === "stall") return [{ text: "Wait" }, { stall: true }];
  if (word === "count") return [{ text: Array.from({ length: Number(amount) }, (_, index) => `${index} `) }];
  if (word === "flood") return [{ text: Array.from({ length: Number(amount) }, () => "x".repeat(150)) }];
  if (word === "fail") return [{ fail: "invalid_request" }];
  return `You said: ${said}`;
}

export function demoAgents(): readonly Agent[] {
  const model = scriptedModel(play);
  return [
    defineAgent({ id: "assistant", description: "Repeats.", model, tools: [pay] }),
    defineAgent({ id: "echo", model, tools: [add] }),
  ];
}
