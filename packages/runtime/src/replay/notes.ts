import {
  type ActionType,
  isToolResult,
  operatorText,
  type PhaseAction,
  type Recording,
  type ToolResult,
  toolResult,
} from "@reprise/contracts";
import { isJson, type Json } from "@reprise/state";
import { copyJson } from "../tools/copy-json.ts";

/** The places of the runtime's own notes. No call and no phase has such an id, so authors' recordings are never among them. */
export const NOTE = {
  clock: "@clock",
  signal: "@signal",
  commit: "@commit",
  stop: "@stop",
  hidden: "@hidden",
  reduce: "@reduce",
  phase: (place: string): string => `@phase/${place}`,
  call: (callId: string): string => `@call/${callId}`,
  turn: (stepId: string): string => `@turn/${stepId}`,
} as const;

export const isNote = ({ place }: Recording): boolean => place.startsWith("@");

/**
 * What is not kept of an action. A transform is code, an effect is for the world outside, and text for one inference is stored
 * nowhere: nothing of the thread follows from them but that they were asked for.
 */
const LEFT_OUT: Partial<Record<ActionType, string>> = {
  add_system_context: "text",
  add_session_context: "text",
  add_request_transform: "transform",
  override_inference: "override",
  effect: "payload",
};

/** An action as it is noted; undefined when it is not made of JSON. */
export function encodeAction(action: PhaseAction): Json | undefined {
  if (typeof action !== "object" || action === null) return undefined;
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(action)) {
    if (value !== undefined && key !== LEFT_OUT[action.type]) kept[key] = value;
  }
  if (action.type === "set_tool_result" && isToolResult(action.result)) {
    kept.result = plain(action.result);
    kept.is_result = true;
  }
  return isJson(kept) ? copyJson(kept) : undefined;
}

function plain({ tool_name, status, data, message, metadata, suspension }: ToolResult): ToolResult {
  return { tool_name, status, data, message, metadata, ...(suspension !== undefined && { suspension }) };
}

/** The action that was noted. It was checked when it was made. */
export function decodeAction(noted: Json): PhaseAction {
  // Written by `encodeAction`, of an action.
  const { is_result, ...action } = noted as unknown as PhaseAction & { readonly is_result?: boolean };
  switch (action.type) {
    case "add_session_context":
      return { ...action, text: "" };
    case "add_system_context":
      return { ...action, text: operatorText`` };
    case "add_request_transform":
      return { ...action, transform: (request) => request };
    case "override_inference":
      return { ...action, override: {} };
    case "effect":
      return { ...action, payload: null };
    case "set_tool_result":
      // Marked as a result when it was made.
      return is_result === true ? { ...action, result: toolResult(action.result as ToolResult) } : action;
    default:
      return action;
  }
}
