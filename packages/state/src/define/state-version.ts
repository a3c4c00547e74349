import { getAt } from "../document/get-at.ts";
import type { Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import type { StateSlice } from "./state-definition.ts";
import { resolveStatePath, STATE_VERSIONS, TOOL_CALL_SCOPE } from "./state-path.ts";

type LocatedState = Pick<StateSlice, "name" | "path" | "scope">;

/** Where the version of a state is noted. The first version is not. */
export function versionPath({ name, scope }: LocatedState, callId?: string): Path {
  return resolveStatePath([STATE_VERSIONS, name], scope, callId);
}

/** Whether a path is one of `versionPath`. */
export function isVersionPath(path: Path): boolean {
  return path[path[0] === TOOL_CALL_SCOPE ? 2 : 0] === STATE_VERSIONS;
}

/** The version a state was stored by; undefined where nothing is stored. */
export function storedVersion(slice: LocatedState, document: Json, callId?: string): number | undefined {
  if (getAt(document, resolveStatePath(slice.path, slice.scope, callId)) === undefined) return undefined;
  const noted = getAt(document, versionPath(slice, callId));
  return typeof noted === "number" ? noted : 1;
}
