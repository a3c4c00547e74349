import type { Json } from "../document/json.ts";

/** A deeply read-only value, as readers and reducers get it. JSON itself is already read-only. */
export type Immutable<Value> = [Json] extends [Value]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;
