import type { Termination } from "@reprise/contracts";
import type { FinishReason } from "./ui-chunk.ts";

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
export function finishReasonOf(termination: Termination): FinishReason {
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
