import type { ComparableStep } from "./comparable-parts.ts";

/** Why a page that is loaded anew shows something else than the stream did, and what it does show. */
export interface LeftOut {
  readonly reason: string;
  /** What is kept of the steps that were streamed. */
  readonly kept: (steps: readonly ComparableStep[]) => readonly ComparableStep[];
}

/** The first call with the arguments it really ran with. */
function withInput([first, ...others]: readonly unknown[]): readonly unknown[] {
  return [{ ...(first as object), input: { to: "Ada", amount: 1 } }, ...others];
}

/** Every scene that is not in this table is the same both ways. */
export const LEFT_OUT: Readonly<Record<string, LeftOut>> = {
  "budget-question": {
    reason: "a question of the runtime's own is no message, and is gone once it is answered",
    kept: (steps) => steps.slice(1),
  },
  "call-cut-off-after-text": {
    reason: "a call the model did not finish never was one",
    kept: ([first, ...others]) => (first === undefined ? [] : [{ ...first, tools: first.tools.slice(1) }, ...others]),
  },
  cancelled: { reason: "an answer that was broken off is no message", kept: () => [] },
  failed: { reason: "an answer that was broken off is no message", kept: () => [] },
  "goes-on": {
    reason: "clients look for inputs in the last step only, so edited arguments of an earlier one are not streamed",
    kept: (steps) => steps.map((step, index) => (index === 0 ? { ...step, tools: withInput(step.tools) } : step)),
  },
  "reset-of-reasoning": {
    reason: "clients of version 6 cannot take back what was withdrawn",
    kept: (steps) => steps.map((step) => ({ ...step, reasoning: step.reasoning.replace("Hm.", "") })),
  },
  "stream-reset": {
    reason: "the stream was withdrawn, and the page has to attach anew",
    kept: (steps) => steps.map((step) => ({ ...step, text: step.text.replace("half an answer", "A whole answer.") })),
  },
  "unfinished-call": {
    reason: "a call the model did not finish never was one",
    kept: (steps) => steps.map((step) => ({ ...step, tools: step.tools.slice(0, 1) })),
  },
  "workflow-budget": {
    reason: "a question of the runtime's own is no message, and is gone once it is answered",
    kept: (steps) => steps.slice(1),
  },
  "workflow-cancelled": { reason: "the question of a run that was cancelled is gone with it", kept: () => [] },
  "workflow-gate": {
    reason: "a question of the runtime's own is no message, and is gone once it is answered",
    kept: (steps) => steps.slice(1),
  },
  "workflow-media": {
    reason: "a wait for a time is no message, and is gone when it is over",
    kept: (steps) => steps.slice(1),
  },
};
