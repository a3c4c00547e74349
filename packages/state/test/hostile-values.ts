import type { Json, Path } from "../src/index.ts";
import { RESERVED } from "./arbitraries.ts";

type Named<Value> = readonly (readonly [name: string, value: Value])[];

/** Types are no protection against an attacker: these casts are the attack. */
export const asPath = (...segments: readonly unknown[]): Path => segments as Path;
export const asJson = (value: unknown): Json => value as Json;

export const BAD_INDEXES: readonly number[] = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 31)];

export const RESERVED_PATHS: Named<Path> = RESERVED.flatMap((key) => [
  [key, [key]],
  [`object.${key}`, ["object", key]],
  [`${key}.polluted`, [key, "polluted"]],
  [`object.a.${key}.polluted`, ["object", "a", key, "polluted"]],
  [`missing.${key}.polluted`, ["missing", key, "polluted"]],
]);

export const BAD_INDEX_PATHS: Named<Path> = BAD_INDEXES.flatMap((index) => [
  [`list[${index}]`, ["list", index]],
  [`list[${index}].a`, ["list", index, "a"]],
]);

export const ENDLESS_PATHS: Named<Path> = [
  ["65 keys", Array.from({ length: 65 }, () => "deep")],
  ["a hundred thousand keys", Array.from({ length: 100_000 }, () => "deep")],
];

/** What a path may not hold. Only parsers can meet these; other doors have types against them. */
export const NOT_SEGMENTS: Named<unknown> = [
  ["null", null],
  ["undefined", undefined],
  ["a boolean", true],
  ["an object", {}],
  ["an array", ["__proto__"]],
  ["a symbol", Symbol("s")],
  ["a bigint", 1n],
  ["a function", () => "a"],
  ["a boxed string", Object("__proto__")],
  ["an object without a prototype", Object.create(null)],
  ["an object whose text throws", { toString: throwAlarm, toJSON: throwAlarm }],
];

class Account {
  readonly owner = "me";
}
class Tags extends Array<Json> {}

/** What no JSON text can say. */
export const NOT_JSON: Named<unknown> = [
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["a hole", new Array(1)],
  ["undefined in an array", [undefined]],
  ["undefined in an object", { a: undefined }],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a bigint", 1n],
  ["a date", new Date(0)],
  ["a map", new Map()],
  ["a set", new Set()],
  ["a regular expression", /a/],
  ["an error", new Error("e")],
  ["bytes", new Uint8Array(2)],
  ["a boxed number", Object(1)],
  ["a boxed text", Object("a")],
  ["a class instance", new Account()],
  ["an instance of a class of arrays", Tags.from([1])],
  ["an object that inherits", Object.create({ polluted: 1 })],
  ["an instance whose class has a symbol for a name", Object.create({ constructor: { name: Symbol("s") } })],
];

function throwAlarm(): never {
  throw new Error("A segment was turned into text.");
}
