import type { Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import type { Lattice } from "../lattice/lattice.ts";
import type { Patch } from "../operations/patch.ts";
import type { JsonWriter } from "../write/json-writer.ts";
import type { Immutable } from "./immutable.ts";
import type { StateAction } from "./state-action.ts";
import type { StateScope } from "./state-path.ts";
import type { StateWriter } from "./state-writer.ts";

/** A state as the runtime sees it: its path, its scope, and its reducers. The type of its value is hidden. */
export interface StateSlice {
  /** The state's path as it was written, which is also its name: `permission_policy`, `sub_agents.active`. */
  readonly name: string;
  readonly path: Path;
  readonly scope: StateScope;
  /** Counts the shapes the state has had; the first is 1. */
  readonly version: number;
  /** The lattice fields, by their path inside the state. */
  readonly lattices: readonly LatticeField[];
  readonly actionNames: readonly string[];
  /** The value where nothing is stored. */
  initial(): unknown;
  /** Where the state lives in the document. A `tool_call` state has one place per call. */
  pathIn(callId?: string): Path;
  /**
   * Runs the reducer of an action and lowers its result to operations. Pure: the same document and action give the same
   * patch. The patch is what is stored, so that changed reducers never rewrite history.
   */
  reduce(document: Json, action: StateAction, callId?: string): Patch;
  /** The patch that brings what an earlier version stored into today's shape; empty where there is nothing to bring. Pure. */
  migrate(document: Json, callId?: string): Patch;
}

export interface LatticeField {
  readonly path: Path;
  readonly lattice: Lattice;
}

/** A state with its type: what authors read and write. */
export interface StateDefinition<State> extends StateSlice {
  initial(): State;
  /** The state in a document; where there is none yet, the initial one. */
  read(document: Json, callId?: string): Immutable<State>;
  /** Collects a patch field by field; a state that is no object is written with a `JsonWriter` at its place. */
  writer(
    callId?: string,
  ): State extends readonly unknown[] | string | number | boolean | null ? JsonWriter : StateWriter<State>;
}

/** The arguments of each action, by its name. */
export type ActionArguments = Readonly<Record<string, readonly unknown[]>>;

/** One reducer per action: a pure function from a state and the action's arguments to the next state. */
export type Reducers<State, Actions extends ActionArguments> = {
  readonly [Name in keyof Actions]: (state: Immutable<State>, ...args: Actions[Name]) => Immutable<State>;
};

/** One function per action that makes it, with the arguments of its reducer. */
export type ActionCreators<Actions extends ActionArguments> = {
  readonly [Name in keyof Actions]: (...args: Actions[Name]) => StateAction;
};
