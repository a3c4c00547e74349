import { defineAgent, defineState, defineTool, scriptedModel, textOf } from "reprise";
import { z } from "zod";

/** What the assistant remembers. */
export const groceries = defineState({
  path: "groceries",
  initial: (): string[] => [],
  actions: {
    add: (list, item: string) => [...list, item],
    remove: (list, item: string) => list.filter((other) => other !== item),
  },
});

const addItem = defineTool({
  id: "add_item",
  description: "Puts something on the list.",
  inputSchema: z.object({ item: z.string().min(1) }),
  idempotent: true,
  execute({ item }, { state }) {
    if (!state.get(groceries).includes(item)) state.apply(groceries.add(item));
    return { items: state.get(groceries).length };
  },
});

const removeItem = defineTool({
  id: "remove_item",
  description: "Takes something off the list.",
  inputSchema: z.object({ item: z.string() }),
  needsApproval: true, // the run waits until a person approves
  execute({ item }, { state }) {
    state.apply(groceries.remove(item));
    return { items: state.get(groceries).length };
  },
});

/** Stands in for a language model: it understands "add …" and "remove …", and says what became of it. */
const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  const said = last === undefined ? "" : textOf(last);
  if (last?.role === "tool") {
    if (said.includes('"denied"')) return [{ text: ["Fine, ", "I leave it."] }];
    return [{ text: ["Done. ", `${said.match(/\d+/)?.[0] ?? "?"} on the list.`] }];
  }
  const [, verb, item] = /^(add|remove)\s+(.+)$/i.exec(said) ?? [];
  if (verb === undefined) return [{ text: ['Say "add milk"', ' or "remove milk".'] }];
  return [{ call: `${verb.toLowerCase()}_item`, arguments: { item } }];
});

export const assistant = defineAgent({
  id: "assistant",
  model,
  instructions: "Keep the list.",
  tools: [addItem, removeItem],
});
