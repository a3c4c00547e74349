import type { StopConditionSpec, StopPolicy, StopPolicyInput, StoppedReason } from "@reprise/contracts";
import { deepEqual } from "@reprise/state";

type Evaluate = (input: StopPolicyInput) => StoppedReason | undefined;

/** The policy a declared condition stands for. */
export function stopPolicyOf(spec: StopConditionSpec): StopPolicy {
  return { id: spec.type, needsHistory: NEEDS_HISTORY.has(spec.type), evaluate: evaluateOf(spec) };
}

const NEEDS_HISTORY: ReadonlySet<string> = new Set(["timeout", "consecutive_errors", "loop_detection"]);

/** A run that has nothing more to do ends naturally, whatever it has used up; only its words can have another meaning. */
function evaluateOf(spec: StopConditionSpec): Evaluate {
  if (spec.type === "content_match") return ({ text }) => matchContent(text, spec.pattern);
  const evaluate = evaluateGoingOn(spec);
  return (input) => (input.isFinal ? undefined : evaluate(input));
}

function evaluateGoingOn(spec: Exclude<StopConditionSpec, { type: "content_match" }>): Evaluate {
  switch (spec.type) {
    case "max_rounds":
      return ({ step }) => stopWhen(step >= spec.rounds, "max_rounds_reached", `${spec.rounds} rounds`);
    case "timeout":
      return ({ elapsedMs }) =>
        stopWhen(elapsedMs >= spec.seconds * 1000, "timeout_reached", `${spec.seconds} seconds`);
    case "token_budget":
      return ({ inputTokens, outputTokens }) => {
        const used = inputTokens + outputTokens;
        const isOver = spec.max_total > 0 && used >= spec.max_total;
        return stopWhen(isOver, "token_budget_exceeded", `${used} of ${spec.max_total} tokens`);
      };
    case "consecutive_errors":
      return ({ consecutiveErrors }) => {
        const isOver = spec.max > 0 && consecutiveErrors >= spec.max;
        return stopWhen(isOver, "consecutive_errors_exceeded", `${consecutiveErrors} failed rounds in a row`);
      };
    case "stop_on_tool":
      return ({ tools }) => stopWhen(tools.includes(spec.tool_name), "tool_called", spec.tool_name);
    case "loop_detection":
      return ({ recentTools }) => detectLoop(recentTools, spec.window);
    default:
      return spec satisfies never;
  }
}

function stopWhen(isReached: boolean, code: string, detail: string): StoppedReason | undefined {
  return isReached ? { code, detail } : undefined;
}

function matchContent(text: string, pattern: string): StoppedReason | undefined {
  return stopWhen(pattern !== "" && text.includes(pattern), "content_matched", pattern);
}

const SMALLEST_WINDOW = 2;

/** Two rounds in a row, among the last ones, that asked for the same tools in the same order. */
function detectLoop(rounds: StopPolicyInput["recentTools"], window: number): StoppedReason | undefined {
  const recent = rounds.slice(-Math.max(window, SMALLEST_WINDOW));
  const repeated = recent.find((tools, index) => index > 0 && deepEqual([...tools], [...(recent[index - 1] ?? [])]));
  return stopWhen(repeated !== undefined, "loop_detected", repeated?.join(", ") ?? "");
}
