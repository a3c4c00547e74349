import { diff } from "../compare/diff.ts";
import { assertJson } from "../document/assert-json.ts";
import { getAt } from "../document/get-at.ts";
import { isObject, type Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import { invalidOperation } from "../document/state-error.ts";
import { LatticeRegistry } from "../lattice/lattice-registry.ts";
import type { Op } from "../operations/op.ts";
import { ops } from "../operations/ops.ts";
import type { Patch } from "../operations/patch.ts";
import { JsonWriter } from "../write/json-writer.ts";
import { assertSchema } from "./assert-schema.ts";
import type { FieldPlan } from "./field-plan.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { StateAction } from "./state-action.ts";
import type { LatticeField, StateSlice } from "./state-definition.ts";
import { resolveStatePath, type StateScope } from "./state-path.ts";
import { storedVersion, versionPath } from "./state-version.ts";
import { createStateWriter } from "./state-writer.ts";
import { fromStored, toStored } from "./stored-form.ts";

/** Options whose types are gone: any JSON goes in and comes out. */
export interface UntypedOptions {
  readonly path: string;
  readonly initial: () => unknown;
  readonly schema?: StandardSchema;
  readonly version?: number;
  readonly migrate?: (stored: Json, from: number) => unknown;
  readonly actions?: Readonly<Record<string, UntypedReducer>>;
}

type UntypedReducer = (state: unknown, ...args: readonly unknown[]) => unknown;

/** A state with its types sealed: reads, writes and reduces JSON. `defineState` puts the types on. */
export class Slice implements StateSlice {
  readonly name: string;
  readonly path: Path;
  readonly scope: StateScope;
  readonly version: number;
  readonly lattices: readonly LatticeField[];
  readonly actionNames: readonly string[];
  readonly #plan: FieldPlan;
  readonly #options: UntypedOptions;

  constructor(options: UntypedOptions, path: Path, scope: StateScope, plan: FieldPlan) {
    this.name = options.path;
    this.path = path;
    this.scope = scope;
    this.version = options.version ?? 1;
    this.lattices = latticeFields(plan, []);
    this.actionNames = Object.keys(options.actions ?? {});
    this.#plan = plan;
    this.#options = options;
  }

  initial(): unknown {
    return this.#options.initial();
  }

  pathIn(callId?: string): Path {
    return resolveStatePath(this.path, this.scope, callId);
  }

  read(document: Json, callId?: string): unknown {
    const stored = getAt(document, this.pathIn(callId));
    if (stored === undefined) return this.initial();
    const from = storedVersion(this, document, callId) ?? this.version;
    return from === this.version ? fromStored(this.#plan, stored) : this.#bring(stored, from);
  }

  writer(callId?: string): unknown {
    const at = this.pathIn(callId);
    return isObject(this.initial() as Json) ? createStateWriter(at, this.#plan) : new JsonWriter(at);
  }

  reduce(document: Json, action: StateAction, callId?: string): Patch {
    const reducer = this.#reducerOf(action);
    const before = this.read(document, callId);
    const after = reducer(before, ...action.args);
    const from = storedVersion(this, document, callId);
    if (after === before && from === this.version) return { ops: [] };
    assertSchema(this.name, this.#options.schema, after);
    const stored = toStored(this.#plan, after as Json);
    if (from !== undefined && from !== this.version) return this.#replace(stored, callId);
    // Not checked whole: `#lower` checks what changed, so that one action costs what it changes.
    const { ops: lowered } = this.#lower(document, stored, this.pathIn(callId));
    const isNoted = (getAt(document, versionPath(this, callId)) ?? 1) === this.version;
    return { ops: isNoted ? lowered : [...lowered, this.#note(callId)] };
  }

  migrate(document: Json, callId?: string): Patch {
    const stored = getAt(document, this.pathIn(callId));
    const from = storedVersion(this, document, callId) ?? this.version;
    if (stored === undefined || from === this.version) return { ops: [] };
    return this.#replace(toStored(this.#plan, this.#bring(stored, from) as Json), callId);
  }

  /** Today's state of one that another version stored. */
  #bring(stored: Json, from: number): unknown {
    const { migrate, schema } = this.#options;
    if (from > this.version || migrate === undefined) {
      const known = `this program knows ${this.version}`;
      throw invalidOperation(`the state "${this.name}" was stored by version ${from} of it; ${known}`);
    }
    const state = migrate(stored, from);
    assertJson(state, [this.name]);
    assertSchema(this.name, schema, state);
    return state;
  }

  /** Where the shape is another one, nothing of the stored state can be kept. */
  #replace(stored: Json, callId: string | undefined): Patch {
    assertJson(stored, this.pathIn(callId));
    return { ops: [ops.set(this.pathIn(callId), stored), this.#note(callId)] };
  }

  #note(callId: string | undefined): Op {
    return ops.set(versionPath(this, callId), this.version);
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
