import {
  addSessionContext,
  addSystemReminder,
  changeState,
  definePlugin,
  defineState,
  type Plugin,
  scheduleAction,
} from "reprise";

const failures = defineState({
  path: "failures",
  scope: "run", // every run begins with none
  initial: (): number => 0,
  actions: { add: (count) => count + 1 },
});

/** Helps a model whose calls keep failing, and has it name the receipt of what it paid. */
export const reminder: Plugin = definePlugin({
  id: "reminder",
  states: [failures],
  hooks: {
    afterToolExecute({ outcome, state, call }) {
      if (outcome === "succeeded") return call.toolId === "pay" ? [scheduleAction("receipt", call.callId)] : [];
      if (outcome !== "failed") return [];
      return [
        changeState(failures.add()),
        ...(state.get(failures) === 1 ? [addSystemReminder("That failed twice. Ask the user what to do.")] : []),
      ];
    },
  },
  scheduled: {
    // Once, before the next question to the model; also when the process dies in between.
    receipt: { phase: "before_inference", handle: () => [addSessionContext("Name the receipt in your answer.")] },
  },
});
