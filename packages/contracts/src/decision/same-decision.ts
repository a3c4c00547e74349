import { deepEqual, type Json } from "@reprise/state";
import type { Decision } from "./decision.ts";

/** Whether a decision is the one that is stored. Its time is not part of what was decided. */
export function isSameDecision(stored: Decision, decision: Decision): boolean {
  return stored.decision_id === decision.decision_id && deepEqual(bodyOf(stored), bodyOf(decision));
}

function bodyOf({ action, arguments: edited, result, reason, remember }: Decision): Json {
  return [action, optional(edited), optional(result), optional(reason), optional(remember)];
}

function optional(value: Json | undefined): Json {
  return value === undefined ? [] : [value];
}
