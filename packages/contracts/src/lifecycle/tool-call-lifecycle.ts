import { illegalTransition } from "../errors/reprise-error.ts";
import { nextStatus, type TransitionTable } from "./transition-table.ts";

export type ToolCallStatus = "new" | "running" | "suspended" | "resuming" | "succeeded" | "failed" | "cancelled";

export type ToolCallTrigger = "start" | "suspend" | "decide" | "succeed" | "fail" | "cancel";

export const TOOL_CALL_TRANSITIONS: TransitionTable<ToolCallStatus, ToolCallTrigger> = {
  new: { start: "running", suspend: "suspended", succeed: "succeeded", fail: "failed", cancel: "cancelled" },
  running: { suspend: "suspended", succeed: "succeeded", fail: "failed", cancel: "cancelled" },
  suspended: { decide: "resuming", cancel: "cancelled" },
  resuming: { start: "running", suspend: "suspended", succeed: "succeeded", fail: "failed", cancel: "cancelled" },
  succeeded: {},
  failed: {},
  cancelled: {},
};

/** Moves a call along its table. Pure: returns a new record or throws `ILLEGAL_TRANSITION`. */
export function advanceToolCall<Call extends { readonly call_id: string; readonly status: ToolCallStatus }>(
  call: Call,
  trigger: ToolCallTrigger,
): Call {
  const status = nextStatus(TOOL_CALL_TRANSITIONS, call.status, trigger);
  if (status === undefined) throw illegalTransition("tool call", call.call_id, call.status, trigger);
  return { ...call, status };
}

/** The trigger that would lead to a status, for saying what could not be done. */
export function triggerTo(status: ToolCallStatus): string {
  return TRIGGERS[status];
}

const TRIGGERS: Readonly<Record<ToolCallStatus, string>> = {
  new: "renew",
  running: "start",
  suspended: "suspend",
  resuming: "decide",
  succeeded: "succeed",
  failed: "fail",
  cancelled: "cancel",
};
