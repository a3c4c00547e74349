import fc from "fast-check";
import type { Json, Segment } from "../src/index.ts";

/** Names that no path may use, but that values may hold as ordinary keys. */
export const RESERVED: readonly string[] = ["__proto__", "constructor", "prototype"];

const EVERYDAY_KEYS = ["a", "b", "c", "items", "count"] as const;

/** Keys that collide with something: array indexes, inherited names, escapes of pointers and messages, bad unicode. */
const AWKWARD_KEYS = [
  ...["", " ", "0", "1", "01", "-0", "-1", "1e3", "length", "toString", "valueOf", "hasOwnProperty", "toJSON"],
  ...["a.b", "a/b", "~", "~0", "~1", "-", "$", "[0]", '"', "a\\b", "{at}", "__defineGetter__", "entries", "tombstones"],
  ...["é", "e\u0301", "ß", "名前", "😀", "\u0000", "\u2028", "\uD800", "\uFFFF"],
] as const;

const keyOutsidePaths: fc.Arbitrary<string> = fc.constantFrom(...RESERVED);

/** Keys a path may use. */
export const pathKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...EVERYDAY_KEYS) },
  { weight: 4, arbitrary: fc.constantFrom(...AWKWARD_KEYS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }).filter((key) => !RESERVED.includes(key)) },
);

/** Keys a value may have: also those no path may use. */
export const valueKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 20, arbitrary: pathKey },
  { weight: 1, arbitrary: keyOutsidePaths },
);

export const index: fc.Arbitrary<number> = fc.oneof(
  { weight: 20, arbitrary: fc.nat({ max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 31, 2 ** 32 - 1, 1e9, Number.MAX_SAFE_INTEGER) },
);

/** Segments of which the engine refuses some. */
export const segment: fc.Arbitrary<Segment> = fc.oneof(
  { weight: 30, arbitrary: pathKey },
  { weight: 15, arbitrary: index },
  { weight: 1, arbitrary: keyOutsidePaths },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY) },
);

const number: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53, 1e308, 0.1, -0) },
);

export const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 2, arbitrary: fc.constantFrom("", "x", "y", "😀", "\uD800") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 5 }) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** `Object.fromEntries` keeps an own `__proto__`. */
export function objectOf<Value>(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<Value>,
  maxKeys: number = 4,
): fc.Arbitrary<Readonly<Record<string, Value>>> {
  return fc
    .uniqueArray(fc.tuple(key, value), { maxLength: maxKeys, selector: ([name]) => name })
    .map((entries): Readonly<Record<string, Value>> => Object.fromEntries(entries));
}

function jsonWith(key: fc.Arbitrary<string>, maxDepth: number): fc.Arbitrary<Json> {
  const level = { maxDepth, depthIdentifier: fc.createDepthIdentifier() };
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      level,
      { weight: 3, arbitrary: scalar },
      { weight: 2, arbitrary: fc.array(tie("json"), { maxLength: 4, depthIdentifier: level.depthIdentifier }) },
      { weight: 3, arbitrary: objectOf(key, tie("json")) },
    ),
  }));
  return json;
}

/** A JSON value of any shape; hostile keys included. */
export const value: fc.Arbitrary<Json> = jsonWith(valueKey, 2);

/** A document: mostly an object with a few levels, sometimes anything. */
export const document: fc.Arbitrary<Json> = documentWith(valueKey);

/** A document whose every place can be named by a path and by a JSON pointer. */
export const documentWithoutReservedKeys: fc.Arbitrary<Json> = documentWith(pathKey);

export const valueWithoutReservedKeys: fc.Arbitrary<Json> = jsonWith(pathKey, 2);

/** Mostly furnished, so that every operation finds something to work on. */
function documentWith(key: fc.Arbitrary<string>): fc.Arbitrary<Json> {
  const json = jsonWith(key, 2);
  const anything = objectOf(key, jsonWith(key, 3), 5);
  const furniture = fc.record({ items: fc.array(json, { maxLength: 5 }), count: number, a: objectOf(key, json) });
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(anything, furniture).map(([others, pieces]) => ({ ...others, ...pieces })) },
    { weight: 3, arbitrary: anything },
    { weight: 1, arbitrary: jsonWith(key, 3) },
  );
}

/** What arithmetic accepts, and now and then what it must refuse. */
export const amount: fc.Arbitrary<number> = fc.oneof(
  { weight: 10, arbitrary: fc.integer({ min: -10, max: 10 }) },
  { weight: 3, arbitrary: fc.double({ noNaN: true, min: -1e6, max: 1e6 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_SAFE_INTEGER, 2 ** 53, 1e300, Number.NaN, -Infinity) },
);

/** Values that no JSON document can hold. */
export const notJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, undefined, 1n, Symbol("s"), () => 1, new Date(0), new Map()),
  fc.constantFrom([undefined], new Array(3), { a: [Number.NaN] }, { deep: { er: undefined } }, [[new Set()]]),
);
