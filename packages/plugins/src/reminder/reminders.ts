import { type ActionCreators, defineState, gSet, type StateDefinition } from "@reprise/state";

/** Longer texts are cut: a reminder is a note, and a persistent one is part of every request. */
const MAX_CHARACTERS = 2_000;

export interface Reminders {
  /** Without repeats; sorted. */
  readonly items: readonly string[];
}

/** The actions of `reminders`, with their arguments. */
export type ReminderActions = { add: [text: string]; remove: [texts: readonly string[]]; clear: [] };

/**
 * The reminders of a thread. Tools and plugins add one with `changeState(reminders.add(text))`. The items merge as a set, so that parallel tools
 * can add to them.
 */
export const reminders: StateDefinition<Reminders> & ActionCreators<ReminderActions> = defineState({
  path: "reminders",
  initial: (): Reminders => ({ items: [] }),
  fields: { items: { lattice: gSet } },
  actions: {
    add: ({ items }, text: string) => {
      const note = text.trim().slice(0, MAX_CHARACTERS).toWellFormed();
      return { items: note === "" || items.includes(note) ? items : [...items, note] };
    },
    remove: ({ items }, texts: readonly string[]) => ({ items: items.filter((item) => !texts.includes(item)) }),
    clear: () => ({ items: [] }),
  },
});

/** The reminders in the request that the model is answering. */
export const sentReminders: StateDefinition<readonly string[]> & ActionCreators<{ set: [texts: readonly string[]] }> =
  defineState({
    path: "reminders_sent",
    scope: "run",
    initial: (): readonly string[] => [],
    actions: { set: (_, texts: readonly string[]) => texts },
  });
