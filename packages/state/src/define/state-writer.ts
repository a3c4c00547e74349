import { assertJson } from "../document/assert-json.ts";
import type { Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import { invalidOperation } from "../document/state-error.ts";
import type { Op } from "../operations/op.ts";
import { ops } from "../operations/ops.ts";
import type { Patch } from "../operations/patch.ts";
import { type Field, type FieldPlan, PLAIN_PLAN } from "./field-plan.ts";
import { toStored, toStoredFlattened } from "./stored-form.ts";

/** The string keys of a state whose value, when present, is of a type. */
type KeysOf<State, Value> = {
  [Key in keyof State & string]-?: NonNullable<State[Key]> extends Value ? Key : never;
}[keyof State & string];

/** The keys whose value may be null. */
type NullableKeys<State> = {
  [Key in keyof State & string]-?: null extends State[Key] ? Key : never;
}[keyof State & string];

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never;
type EntryOf<Value> = Value extends readonly unknown[] ? never : Value extends object ? Value[keyof Value] : never;

/** Writes to a state field by field and collects a patch. It knows how each field is stored. */
export interface StateWriter<State> {
  set<Key extends keyof State & string>(field: Key, value: State[Key]): this;
  /** Sets a nullable field to null. */
  none(field: NullableKeys<State>): this;
  /** Adds an item to the end of a list. */
  push<Key extends KeysOf<State, readonly unknown[]>>(field: Key, item: ItemOf<NonNullable<State[Key]>>): this;
  /** Puts an item into a list before an index. */
  insert<Key extends KeysOf<State, readonly unknown[]>>(
    field: Key,
    index: number,
    item: ItemOf<NonNullable<State[Key]>>,
  ): this;
  /** Puts an entry into a map. */
  insert<Key extends KeysOf<State, object>>(field: Key, key: string, value: EntryOf<NonNullable<State[Key]>>): this;
  increment(field: KeysOf<State, number>, amount?: number): this;
  decrement(field: KeysOf<State, number>, amount?: number): this;
  delete(field: keyof State & string): this;
  /** A writer for an object field; it collects into the same patch. */
  nested<Key extends KeysOf<State, object>>(field: Key): StateWriter<NonNullable<State[Key]>>;
  /** Joins a delta into a lattice field. */
  merge<Key extends keyof State & string>(field: Key, delta: State[Key]): this;
  /** The patch collected so far. */
  build(): Patch;
}

/** Writes without the types of a state; `createStateWriter` puts them on. */
class FieldWriter {
  readonly #at: Path;
  readonly #plan: FieldPlan;
  readonly #ops: Op[];

  constructor(at: Path, plan: FieldPlan, collected: Op[]) {
    this.#at = at;
    this.#plan = plan;
    this.#ops = collected;
  }

  set(name: string, value: unknown): this {
    assertJson(value, [...this.#at, name]);
    const field = this.#field(name);
    if (field.kind !== "flatten") return this.#collect(ops.set(this.#pathOf(field), toStored(field.plan, value)));
    for (const [key, item] of Object.entries(toStoredFlattened(field, value))) {
      this.#collect(ops.set([...this.#at, key], item));
    }
    return this;
  }

  none(name: string): this {
    return this.#collect(ops.set(this.#path(name), null));
  }

  push(name: string, item: unknown): this {
    return this.#collect(ops.append(this.#path(name), this.#json(name, item)));
  }

  insert(name: string, position: number | string, value: unknown): this {
    const path = this.#path(name);
    const json = this.#json(name, value);
    return this.#collect(
      typeof position === "number" ? ops.insert(path, position, json) : ops.set([...path, position], json),
    );
  }

  increment(name: string, amount: number = 1): this {
    return this.#collect(ops.increment(this.#path(name), amount));
  }

  decrement(name: string, amount: number = 1): this {
    return this.#collect(ops.decrement(this.#path(name), amount));
  }

  delete(name: string): this {
    return this.#collect(ops.delete(this.#path(name)));
  }

  nested(name: string): FieldWriter {
    const field = this.#field(name);
    return new FieldWriter(field.kind === "flatten" ? this.#at : this.#pathOf(field), field.plan, this.#ops);
  }

  merge(name: string, delta: unknown): this {
    const field = this.#field(name);
    if (field.lattice === undefined) throw this.#refuse(name, "it is not a lattice field");
    return this.#collect(ops.latticeMerge(this.#pathOf(field), this.#json(name, delta)));
  }

  build(): Patch {
    return { ops: [...this.#ops] };
  }

  #field(name: string): Field {
    const field = this.#plan.byName.get(name);
    if (field?.kind === "skip") throw this.#refuse(name, "it is skipped, so it is not stored");
    return field ?? { name, key: name, kind: "plain", default: undefined, lattice: undefined, plan: PLAIN_PLAN };
  }

  /** The path of a field that is stored as one value. */
  #path(name: string): Path {
    const field = this.#field(name);
    if (field.kind === "flatten") throw this.#refuse(name, "it is flattened: write its fields with nested()");
    return this.#pathOf(field);
  }

  #pathOf(field: Field): Path {
    return [...this.#at, field.key];
  }

  #json(name: string, value: unknown): Json {
    assertJson(value, [...this.#at, name]);
    return value;
  }

  #refuse(name: string, reason: string): Error {
    return invalidOperation(`the field "${name}" cannot be written this way: ${reason}`, this.#at);
  }

  #collect(op: Op): this {
    this.#ops.push(op);
    return this;
  }
}

/** Makes a writer for a state whose fields are stored by a plan. */
export function createStateWriter<State>(at: Path, plan: FieldPlan): StateWriter<State> {
  // The class has the same methods without the field types; only this function hands it out.
  return new FieldWriter(at, plan, []) as unknown as StateWriter<State>;
}
