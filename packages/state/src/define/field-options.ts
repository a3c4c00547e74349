import type { Json } from "../document/json.ts";

/** A lattice that can hold a field of this type. */
export interface LatticeFor<Value> {
  readonly name: string;
  parse(value: Json): unknown;
  merge(left: Value, right: Value): unknown;
}

interface NoOptions {
  readonly rename?: never;
  readonly default?: never;
  readonly skip?: never;
  readonly nested?: never;
  readonly flatten?: never;
  readonly lattice?: never;
}

type Only<Options> = Options & Omit<NoOptions, keyof Options>;

/** Stored under another key, or given a value when it is missing. */
type PlainField<Value> = Only<{ readonly rename?: string; readonly default?: () => Value }>;

/** Not stored and not writable; readers see its default. */
type SkippedField<Value> = Only<{ readonly skip: true; readonly default?: () => Value }>;

/** An object with field options of its own. */
type NestedField<Value> = Only<{
  readonly nested: FieldOptions<Value>;
  readonly rename?: string;
  readonly default?: () => Value;
}>;

/** An object whose fields are stored among those of the object around it. */
type FlattenedField<Value> = Only<{ readonly flatten: FieldOptions<Value> | true }>;

/** A field that merges: its changes become `lattice_merge` operations. */
type LatticeField<Value> = Only<{
  readonly lattice: LatticeFor<Value>;
  readonly rename?: string;
  readonly default?: () => Value;
}>;

/** The options of one field. A lattice has no absent value, so optional and nullable fields cannot be lattices. */
export type FieldOption<Value> =
  | PlainField<Value>
  | SkippedField<Value>
  | NestedField<Value>
  | FlattenedField<Value>
  | (null extends Value ? never : undefined extends Value ? never : LatticeField<Value>);

/** Options by field; fields that are not named are stored as they are. */
export type FieldOptions<State> = { readonly [Key in keyof State]?: FieldOption<State[Key]> };
