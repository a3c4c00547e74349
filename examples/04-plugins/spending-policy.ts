import { blockCall, definePlugin, excludeTool, type Plugin, suspendCall } from "reprise";
import { getAt } from "reprise/state";

/** What the policy is told by the agent's section `spending`. */
interface Spending {
  readonly askAbove: number;
  readonly neverAbove: number;
  readonly hiddenTools?: readonly string[];
}

/** Who may spend how much, in euros: hidden tools, a limit that asks, a limit that does not. */
export function spendingPolicy(loadRate: (currency: string) => Promise<number>): Plugin {
  return definePlugin({
    id: "spending_policy",
    sections: {
      spending: {
        type: "object",
        properties: {
          askAbove: { type: "number", minimum: 0 },
          neverAbove: { type: "number", minimum: 0 },
          hiddenTools: { type: "array", items: { type: "string" } },
        },
        required: ["askAbove", "neverAbove"],
        additionalProperties: false,
      },
    },
    hooks: {
      beforeInference: (context) => (readSection(context)?.hiddenTools ?? []).map((id) => excludeTool(id)),

      async beforeToolExecute(context) {
        const limits = readSection(context);
        const amount = getAt(context.call.arguments, ["amount"]);
        if (limits === undefined || typeof amount !== "number") return undefined;
        const currency = String(getAt(context.call.arguments, ["currency"]));
        // A rate is the world's, not the thread's: the answer is kept with the run, and a replay has it.
        const euros = amount * (await context.record("rate", () => loadRate(currency)));
        if (euros > limits.neverAbove) return [blockCall(`${euros} euros are more than anybody may spend.`)];
        if (euros > limits.askAbove) return [suspendCall({ action: "spend", message: `May I spend ${euros} euros?` })];
        return undefined;
      },
    },
  });
}

function readSection(context: { section(key: string): unknown }): Spending | undefined {
  // Held against the schema above when the runtime was made.
  return context.section("spending") as Spending | undefined;
}
