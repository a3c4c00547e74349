import { diff } from "../compare/diff.ts";
import { assertJson } from "../document/assert-json.ts";
import { getAt } from "../document/get-at.ts";
import { isObject, type Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import { invalidOperation } from "../errors.ts";
import { LatticeRegistry } from "../lattice/lattice-registry.ts";
import { ops } from "../operations/ops.ts";
import type { Patch } from "../operations/patch.ts";
import { JsonWriter } from "../write/json-writer.ts";
import { assertSchema } from "./assert-schema.ts";
import type { FieldPlan } from "./field-plan.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { StateAction } from "./state-action.ts";
import type { LatticeField, StateSlice } from "./state-definition.ts";
import { placeState, type StateScope } from "./state-place.ts";
import { createStateWriter } from "./state-writer.ts";
import { fromStored, toStored } from "./stored-form.ts";

/** Options whose types are gone: any JSON goes in and comes out. */
export interface UntypedOptions {
  readonly path: string;
  readonly initial: () => unknown;
  readonly schema?: StandardSchema;
  readonly actions?: Readonly<Record<string, UntypedReducer>>;
}

type UntypedReducer = (state: unknown, ...args: readonly unknown[]) => unknown;

/** A state with its types sealed: reads, writes and reduces JSON. `defineState` puts the types on. */
export class Slice implements StateSlice {
  readonly name: string;
  readonly path: Path;
  readonly scope: StateScope;
  readonly lattices: readonly LatticeField[];
  readonly actionNames: readonly string[];
  readonly #plan: FieldPlan;
  readonly #options: UntypedOptions;

  constructor(options: UntypedOptions, path: Path, scope: StateScope, plan: FieldPlan) {
    this.name = options.path;
    this.path = path;
    this.scope = scope;
    this.lattices = latticeFields(plan, []);
    this.actionNames = Object.keys(options.actions ?? {});
    this.#plan = plan;
    this.#options = options;
  }

  initial(): unknown {
    return this.#options.initial();
  }

  pathIn(callId?: string): Path {
    return placeState(this.path, this.scope, callId);
  }

  read(document: Json, callId?: string): unknown {
    const stored = getAt(document, this.pathIn(callId));
    return stored === undefined ? this.initial() : fromStored(this.#plan, stored);
  }

  writer(callId?: string): unknown {
    const at = this.pathIn(callId);
    return isObject(this.initial() as Json) ? createStateWriter(at, this.#plan) : new JsonWriter(at);
  }

  reduce(document: Json, action: StateAction, callId?: string): Patch {
    const reducer = this.#reducerOf(action);
    const before = this.read(document, callId);
    const after = reducer(before, ...action.args);
    if (after === before && getAt(document, this.pathIn(callId)) !== undefined) return { ops: [] };
    assertSchema(this.name, this.#options.schema, after);
    // Not checked whole: `#lower` checks what changed, so that one action costs what it changes.
    return this.#lower(document, toStored(this.#plan, after as Json), this.pathIn(callId));
  }

  /** The operations that make the stored state equal to `after`; lattice fields are merged, not set. */
  #lower(document: Json, after: Json, at: Path): Patch {
    const stored = getAt(document, at);
    if (this.lattices.length > 0) {
      const lattices = new LatticeRegistry();
      for (const field of this.lattices) lattices.register([...at, ...field.path], field.lattice);
      // Created field by field where it is absent, so that two who create it at once can still merge.
      return { ops: diff(stored ?? {}, after, { at, lattices }) };
    }
    if (stored !== undefined) return { ops: diff(stored, after, { at }) };
    assertJson(after, at);
    return { ops: [ops.set(at, after)] };
  }

  #reducerOf(action: StateAction): UntypedReducer {
    const reducers = this.#options.actions ?? {};
    const reducer = Object.hasOwn(reducers, action.action) ? reducers[action.action] : undefined;
    if (action.state === this.name && reducer !== undefined) return reducer;
    throw invalidOperation(
      `the state "${this.name}" has no action "${action.state}/${action.action}"; it has ${this.actionNames.join(", ") || "none"}`,
    );
  }
}

/** The lattice fields of a plan with their stored paths. */
function latticeFields(plan: FieldPlan, at: Path): readonly LatticeField[] {
  return [...plan.byName.values()].flatMap((field): readonly LatticeField[] => {
    const path = field.kind === "flatten" ? at : [...at, field.key];
    if (field.lattice !== undefined) return [{ path, lattice: field.lattice }];
    return latticeFields(field.plan, path);
  });
}
