import { assertJson } from "../document/assert-json.ts";
import type { Json } from "../document/json.ts";
import { serialization } from "../document/state-error.ts";
import { assertFields, ownField, untrustedRecord } from "../operations/untrusted-record.ts";
import type { StateSlice } from "./state-definition.ts";

/** An intent, as plain JSON: which action of which state, with which arguments. It can be logged, sent and replayed. */
export interface StateAction {
  /** The path of the state definition. */
  readonly state: string;
  readonly action: string;
  readonly args: readonly Json[];
}

const SLICE: unique symbol = Symbol.for("reprise.state_slice");

/** The state an action was made by. Known only where it was made: JSON does not carry it, and a registry finds it then. */
export function sliceOf(action: StateAction): StateSlice | undefined {
  return (action as { readonly [SLICE]?: StateSlice })[SLICE];
}

/** Notes the state beside an action, where neither JSON nor a comparison sees it. */
export function withSlice(action: StateAction, slice: StateSlice): StateAction {
  return Object.defineProperty(action, SLICE, { value: slice });
}

/** Makes an action. Arguments must be JSON; trailing ones left out by the caller stay out. */
export function createStateAction(state: string, action: string, args: readonly unknown[]): StateAction {
  const given = args.slice(0, args.findLastIndex((argument) => argument !== undefined) + 1);
  assertJson(given, [state, action]);
  return { state, action, args: given as readonly Json[] };
}

/** Checks the shape of an action that came from outside. The registry checks that it exists. */
export function parseStateAction(input: unknown): StateAction {
  const record = untrustedRecord(input, "an action");
  assertFields(record, ["state", "action", "args"], "an action");
  const [state, action, args] = [ownField(record, "state"), ownField(record, "action"), ownField(record, "args")];
  if (typeof state !== "string" || typeof action !== "string" || !Array.isArray(args)) {
    throw serialization('an action has the strings "state" and "action" and a list "args"');
  }
  return createStateAction(state, action, args);
}
