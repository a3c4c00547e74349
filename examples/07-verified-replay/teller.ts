// A teller at a bank: one tool, one rule. The rule reads the clock and asks the world, so it could say something else tomorrow.
import { blockCall, defineAgent, definePlugin, defineTool, type LanguageModel, type Plugin } from "reprise";
import { z } from "zod";

/** What was really paid. */
export const paid: string[] = [];

export const pay = defineTool({
  id: "pay",
  description: "Makes a payment.",
  inputSchema: z.object({ to: z.string(), amount: z.number() }),
  execute({ to, amount }) {
    paid.push(`${to} ${amount}`);
    return { receipt: paid.length };
  },
});

/** Pays no more than what is allowed today. */
export function limitOf(limit: number): Plugin {
  return definePlugin({
    id: "limit",
    hooks: {
      async beforeToolExecute({ call, record }) {
        const balance = await record("balance", () => 100 - paid.length);
        const { amount } = call.arguments as { amount: number };
        return amount > Math.min(limit, balance) ? [blockCall(`no more than ${limit}`)] : undefined;
      },
    },
  });
}

export const tellerWith = (model: LanguageModel, limit: number) =>
  defineAgent({ id: "teller", model, tools: [pay], plugins: [limitOf(limit)] });
