import type { Json } from "../document/json.ts";

/** A value nobody may write to, all the way down: what readers and reducers are given. JSON as such already is one. */
export type Immutable<Value> = [Json] extends [Value]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;
