import type { Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import { invalidOperation } from "../document/state-error.ts";
import type { Lattice } from "../lattice/lattice.ts";
import { type LatticeLookup, LatticeRegistry } from "../lattice/lattice-registry.ts";
import { ops } from "../operations/ops.ts";
import type { Patch } from "../operations/patch.ts";
import { parseStateAction, type StateAction } from "./state-action.ts";
import type { StateSlice } from "./state-definition.ts";
import { type StateScope, TOOL_CALL_SCOPE } from "./state-path.ts";

/** Every state a program knows: finds the scope, the lattices and the reducer that belong to a path or an action. */
export class StateRegistry implements LatticeLookup {
  readonly #slices = new Map<string, StateSlice>();
  readonly #shared = new LatticeRegistry();
  /** Lattices of tool call states, by their path below the call. */
  readonly #perCall = new LatticeRegistry();

  /** Adds a state. Two states may not share a path, nor one lie inside the other, within the same scope of places. */
  register(slice: StateSlice): this {
    for (const other of this.#slices.values()) {
      if (other === slice) return this;
      if (overlaps(other, slice)) {
        throw invalidOperation(`the states "${other.name}" and "${slice.name}" share a path in the document`);
      }
    }
    this.#slices.set(slice.name, slice);
    const lattices = slice.scope === "tool_call" ? this.#perCall : this.#shared;
    for (const field of slice.lattices) lattices.register([...slice.path, ...field.path], field.lattice);
    return this;
  }

  get(name: string): StateSlice | undefined {
    return this.#slices.get(name);
  }

  list(scope?: StateScope): readonly StateSlice[] {
    return [...this.#slices.values()].filter((slice) => scope === undefined || slice.scope === scope);
  }

  latticeAt(path: Path): Lattice | undefined {
    return path[0] === TOOL_CALL_SCOPE ? this.#perCall.latticeAt(path.slice(2)) : this.#shared.latticeAt(path);
  }

  /** Checks an action that came from outside: its shape, and that its state and action exist. */
  parseAction(input: unknown): StateAction {
    const action = parseStateAction(input);
    const { actionNames } = this.#sliceOf(action);
    if (actionNames.includes(action.action)) return action;
    const known = actionNames.join(", ") || "none";
    throw invalidOperation(`the state "${action.state}" has no action "${action.action}"; it has ${known}`);
  }

  /** Runs an action's reducer on a document; see `StateSlice.reduce`. */
  reduce(document: Json, action: StateAction, callId?: string): Patch {
    return this.#sliceOf(action).reduce(document, action, callId);
  }

  /** The patch that deletes what a new run must not see. */
  clearRun(): Patch {
    return { ops: this.list("run").map((slice) => ops.delete(slice.path)) };
  }

  /** The patch that deletes what belonged to a completed tool call. */
  clearToolCall(callId: string): Patch {
    return { ops: [ops.delete([TOOL_CALL_SCOPE, callId])] };
  }

  #sliceOf(action: StateAction): StateSlice {
    const slice = this.#slices.get(action.state);
    if (slice !== undefined) return slice;
    const known = [...this.#slices.keys()].join(", ") || "none";
    throw invalidOperation(`there is no state "${action.state}"; registered: ${known}`);
  }
}

function overlaps(left: StateSlice, right: StateSlice): boolean {
  if ((left.scope === "tool_call") !== (right.scope === "tool_call")) return false;
  const shorter = Math.min(left.path.length, right.path.length);
  return left.path.slice(0, shorter).every((segment, position) => segment === right.path[position]);
}
