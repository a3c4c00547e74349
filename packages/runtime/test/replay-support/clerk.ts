import { type LanguageModel, suspendTool } from "@reprise/contracts";
import { defineState } from "@reprise/state";
import { type Agent, changeState, defineAgent, definePlugin, defineTool } from "reprise";
import { z } from "zod";

const seen = defineState({
  path: "seen",
  initial: (): string[] => [],
  actions: { add: (list, what: string) => [...list, what] },
});

/** An agent that does a bit of everything; whether its code may be touched is up to who makes it. */
export function createClerk(model: LanguageModel, touch: () => void): Agent {
  const inputSchema = z.object({ ms: z.number() });
  const read = defineTool({
    id: "read",
    description: "Reads.",
    inputSchema,
    class: "read_only",
    async execute({ ms }, { progress }) {
      touch();
      progress({ message: "reading" });
      await new Promise((resolve) => setTimeout(resolve, ms));
      progress({ message: "read" });
      return { ms };
    },
  });
  const write = defineTool({
    id: "write",
    description: "Writes.",
    inputSchema,
    needsApproval: true,
    execute: ({ ms }, { state }) => {
      touch();
      state.apply(seen.add(`write ${ms}`));
      return state.get(seen).length;
    },
  });
  const ask = defineTool({
    id: "ask",
    description: "Asks.",
    inputSchema,
    execute: (_, { decision }) => {
      touch();
      return decision === undefined ? suspendTool({ action: "which" }) : (decision.result ?? null);
    },
  });
  const watcher = definePlugin({
    id: "watcher",
    hooks: {
      stepStart: async ({ now, step, record }) => {
        touch();
        return [changeState(seen.add(`${step} ${now} ${await record("dice", () => Math.random())}`))];
      },
      afterToolExecute: ({ call }) => {
        touch();
        return [changeState(seen.add(`after ${call.toolId}`))];
      },
    },
    states: [seen],
  });
  return defineAgent({ id: "clerk", model, tools: [read, write, ask], plugins: [watcher], startReadsEarly: true });
}
