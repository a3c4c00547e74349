import { assertPath, type Path } from "../document/path.ts";
import { invalidOperation } from "../document/state-error.ts";

/**
 * How long a state lives.
 * - `thread`: as long as its thread.
 * - `run`: deleted when a new run starts.
 * - `tool_call`: one per tool call, deleted when the call completes.
 */
export type StateScope = "thread" | "run" | "tool_call";

export const STATE_SCOPES: readonly StateScope[] = ["thread", "run", "tool_call"];

/** The key below which every tool call has its own states. */
export const TOOL_CALL_SCOPE = "__tool_call_scope";

/** The key below which the versions of states are noted; a tool call's are noted below the call. */
export const STATE_VERSIONS = "__state_versions";

/** Reads a state's path: keys joined by dots. */
export function parseStatePath(text: string): Path {
  const segments = text.split(".");
  if (segments.includes("")) throw invalidOperation(`"${text}" is not a state path: it has an empty key`);
  if (segments[0] === TOOL_CALL_SCOPE) {
    throw invalidOperation(`"${text}" is not a state path: say scope "tool_call" and leave out ${TOOL_CALL_SCOPE}`);
  }
  if (segments[0] === STATE_VERSIONS) throw invalidOperation(`"${text}" is not a state path: versions are noted there`);
  assertPath(segments);
  return segments;
}

/** Where a state lives in the document; a tool call's state needs the id of its call. */
export function resolveStatePath(path: Path, scope: StateScope, callId: string | undefined): Path {
  if (scope !== "tool_call") return path;
  if (callId === undefined) {
    throw invalidOperation(`the state "${path.join(".")}" belongs to a tool call: its call id is needed`);
  }
  const full = [TOOL_CALL_SCOPE, callId, ...path];
  assertPath(full);
  return full;
}
