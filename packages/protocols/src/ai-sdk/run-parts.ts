import type { AgentEvent, EventData, Termination } from "@reprise/contracts";
import { type AiSdkState, type Encoded, inOrder } from "./encoder-state.ts";
import { runInfoData } from "./run-info.ts";
import { closeParts } from "./text-parts.ts";
import { asksBelow, dropAll, dropStep, dropUnready } from "./tool-parts.ts";
import type { FinishReason, UiChunk } from "./ui-chunk.ts";

const STOPPED: Readonly<Record<string, FinishReason>> = {
  max_rounds_reached: "length",
  timeout_reached: "length",
  token_budget_exceeded: "length",
  output_truncated: "length",
  tool_called: "tool-calls",
  content_matched: "stop",
  consecutive_errors_exceeded: "error",
  loop_detected: "error",
};

/** Why a run ended, in the client's words. */
function finishReasonOf(termination: Termination): FinishReason {
  switch (termination.type) {
    case "natural_end":
    case "behavior_requested":
    case "suspended":
      return "stop";
    case "stopped": {
      const { code } = termination.value;
      return (Object.hasOwn(STOPPED, code) ? STOPPED[code] : undefined) ?? "other";
    }
    case "error":
      return "error";
    case "cancelled":
      return "other";
    default:
      return termination satisfies never;
  }
}

export function startStep(state: AiSdkState, { message_id }: EventData["step_start"]): Encoded {
  return inOrder(state, closeStep, (ended) => {
    const messageId = ended.messageId ?? message_id;
    const begun = { ...ended, messageId, steps: ended.steps + 1, isStepOpen: true, stepMessageId: message_id };
    return [{ ...begun, reasonings: 0 }, [{ type: "start-step" }]];
  });
}

/** The model has said all of the step. Its calls belong to it, so it is over when they have come to something. */
export function endStep(state: AiSdkState): Encoded {
  return inOrder(state, closeParts, dropUnready, (said) => closeSettledStep({ ...said, isStepSaid: said.isStepOpen }));
}

/** Closes a step whose last call is done. */
export function closeSettledStep(state: AiSdkState): Encoded {
  const isSettled = state.isStepSaid && !Object.values(state.calls).some(({ step }) => step === state.steps);
  return isSettled ? closeStep(state) : [state, []];
}

/** Closes a step whatever is open in it. */
function closeStep(state: AiSdkState): Encoded {
  if (!state.isStepOpen) return [state, []];
  return inOrder(state, closeParts, dropUnready, (closed) => [
    { ...closed, isStepOpen: false, isStepSaid: false },
    [{ type: "finish-step" }],
  ]);
}

/**
 * The model begins the step anew. Clients of version 6 cannot take back what they have: what was said is ended where it is, and calls
 * that never will be done say so. Where nothing was shown, nothing is to be seen of it.
 */
export function resetStep(state: AiSdkState): Encoded {
  return inOrder(state, closeParts, dropStep);
}

export function finishRun(state: AiSdkState, event: Extract<AgentEvent, { type: "run_finish" }>): Encoded {
  const { termination, result } = event.data;
  if (termination.type === "suspended") {
    return inOrder(state, closeStep, closeParts, (ended) => [
      { ...ended, phase: "suspended" },
      [{ type: "finish", finishReason: finishReasonOf(termination) }],
    ]);
  }
  const output = result?.output;
  const told: readonly UiChunk[] =
    output === undefined ? [] : [{ type: "data-output", id: event.run_id, data: { output } }];
  return inOrder(state, closeParts, dropAll, closeStep, (ended) => [
    { ...ended, phase: "finished" },
    [...told, ...endOf(ended, event.data)],
  ]);
}

function endOf({ failure }: AiSdkState, { termination }: EventData["run_finish"]): readonly UiChunk[] {
  const finish = { type: "finish", finishReason: finishReasonOf(termination) } as const;
  if (termination.type === "cancelled") return [{ type: "abort", reason: "cancelled" }];
  if (termination.type !== "error") return [finish];
  return [{ type: "error", errorText: failure ?? termination.value }, finish];
}

/** What a response ends with where every run below needs a person: the page answers, and gets the rest in another response. */
export function pauseForQuestions(state: AiSdkState): Encoded {
  if (state.phase !== "open" || !asksBelow(state)) return [state, []];
  return inOrder(state, closeStep, (ended) => [
    { ...ended, phase: "suspended", isStarted: false },
    [{ type: "finish", finishReason: "stop" }],
  ]);
}

/** What a stream ends with that broke off after its run failed and before it said so. */
export function finishFailure(state: AiSdkState): Encoded {
  const { failure } = state;
  if (state.phase !== "open" || failure === undefined) return [state, []];
  return inOrder(state, closeParts, dropAll, closeStep, (ended) => [
    { ...ended, phase: "finished" },
    [
      { type: "error", errorText: failure },
      { type: "finish", finishReason: "error" },
    ],
  ]);
}

/**
 * Puts `start` in front of what comes first since the run began or last waited. It needs the id of the message, which the first step
 * brings; only a run that ends before has none.
 */
export function withStart([state, chunks]: Encoded, event: AgentEvent): Encoded {
  if (state.isStarted || state.phase === "withdrawn") return [rest(state), chunks];
  const { messageId, waiting } = state;
  const isOver = state.phase !== "open";
  if (messageId === undefined && !isOver) {
    return chunks.length === 0 ? [state, []] : [{ ...state, waiting: [...waiting, ...chunks] }, []];
  }
  if (chunks.length === 0 && event.type !== "run_start") return [state, []];
  const start: UiChunk = { type: "start", ...(messageId !== undefined && { messageId }) };
  return [rest({ ...state, isStarted: true, waiting: [] }), [start, runInfo(event), ...waiting, ...chunks]];
}

/** Once a run waits, what follows is a stream of its own, though of the same message. */
function rest(state: AiSdkState): AiSdkState {
  return state.phase === "suspended" && state.isStarted ? { ...state, isStarted: false } : state;
}

function runInfo({ run_id, thread_id }: AgentEvent): UiChunk {
  return { type: "data-run-info", id: run_id, data: runInfoData(run_id, thread_id) };
}
