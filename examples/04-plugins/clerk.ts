import { defineAgent, defineTool, type Plugin, type ScriptTurn, scriptedModel } from "reprise";
import { z } from "zod";

const pay = defineTool({
  id: "pay",
  description: "Pays a bill.",
  inputSchema: z.object({ bill: z.number(), amount: z.number(), currency: z.string() }),
  execute({ bill }) {
    if (bill === 13) throw new Error("bill 13 is paid already");
    return { receipt: `R-${bill}` };
  },
});
const purge = defineTool({ id: "purge", description: "Deletes all bills.", destructive: true, execute: () => "gone" });

const payment = (bill: number, amount: number, currency = "EUR"): ScriptTurn => [
  { call: "pay", arguments: { bill, amount, currency } },
];
const turns: readonly ScriptTurn[] = [
  payment(1, 20),
  "Paid: R-1.",
  payment(2, 400, "USD"),
  "Paid: R-2.",
  payment(3, 90_000),
  [{ call: "purge" }],
  payment(13, 5),
  payment(13, 5),
  "I cannot pay these. What shall I do?",
];

/** Stands in for a model that is not always reasonable. */
export const model = scriptedModel(turns);

export function clerk(plugins: readonly Plugin[]): ReturnType<typeof defineAgent> {
  return defineAgent({
    id: "clerk",
    model,
    instructions: "Pay the bills.",
    tools: [pay, purge],
    plugins, // they act in this order
    sections: { spending: { askAbove: 100, neverAbove: 10_000, hiddenTools: ["purge"] } },
  });
}
