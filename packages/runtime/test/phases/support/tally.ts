import { defineState } from "@reprise/state";

/** States for plugins to change. */
export const tally = defineState({
  path: "tally",
  initial: (): string[] => [],
  actions: { add: (list, word: string) => [...list, word] },
});

export const runTally = defineState({
  path: "run_tally",
  scope: "run",
  initial: (): string[] => [],
  actions: { add: (list, word: string) => [...list, word] },
});

export const callTally = defineState({
  path: "call_tally",
  scope: "tool_call",
  initial: (): string[] => [],
  actions: { add: (list, word: string) => [...list, word] },
});
