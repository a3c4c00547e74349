import { defineState } from "@reprise/state";

/** What a call left in the state of its thread. */
export type Note = { readonly call: string; readonly n: number };

export const NOTES_PATH = "notes";

/** A list in the thread's state that every noting call writes to once. */
export const notes = defineState({
  path: NOTES_PATH,
  scope: "thread",
  initial: (): Note[] => [],
  actions: { add: (list, call: string, n: number) => [...list, { call, n }] },
});
