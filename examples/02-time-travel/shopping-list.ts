import { defineState } from "reprise";
import { gSet } from "reprise/state";

export type Item = { title: string; done: boolean };

/** What the session plays with: a list whose order matters and a set of tags that merges. */
export const shoppingList = defineState({
  path: "list",
  initial: (): { items: Item[]; tags: string[] } => ({ items: [], tags: [] }),
  fields: { tags: { lattice: gSet } },
  actions: {
    add: (state, title: string) => ({ ...state, items: [...state.items, { title, done: false }] }),
    done: (state, number: number) => ({
      ...state,
      items: state.items.map((item, index) => (index === number - 1 ? { ...item, done: true } : item)),
    }),
    remove: (state, number: number) => ({ ...state, items: state.items.filter((_, index) => index !== number - 1) }),
    tag: (state, word: string) => ({ ...state, tags: [...state.tags, word] }),
  },
});
