import type { Json } from "@reprise/state";
import type { ToolError } from "../tool/tool-error.ts";
import type { MarkedEffect, MarkedResult, MarkedSuspension } from "./tool-effect.ts";

/** Objects that JSON cannot represent. */
type Unsayable =
  | ((...given: never[]) => unknown)
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<WeakKey, unknown>
  | WeakSet<WeakKey>
  | PromiseLike<unknown>
  | ArrayBufferLike
  | ArrayBufferView
  | RegExp
  | Error;

type Sayable = Json | ToolError | MarkedEffect | MarkedResult | MarkedSuspension;

/**
 * The type itself where its values can be an output of a tool, and `never` in the place of what cannot: a function, a `Map`, a bigint.
 * A type that says nothing (`unknown`) passes; its values are looked at when they are returned.
 */
export type ToolOutput<Value> = unknown extends Value
  ? Value
  : Value extends void
    ? Value
    : Value extends Sayable
      ? Value
      : Value extends { toJSON(): infer Plain }
        ? [Plain] extends [ToolOutput<Plain>]
          ? Value
          : never
        : Value extends Unsayable
          ? never
          : Value extends object
            ? { readonly [Key in keyof Value]: Key extends symbol ? Value[Key] : ToolOutput<Value[Key]> }
            : never;
