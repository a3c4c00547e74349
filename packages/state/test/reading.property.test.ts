import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatches, deepEqual, getAt, type Json, ops, parseOp, parsePatch } from "../src/index.ts";
import { document, segment, value } from "./arbitraries.ts";
import { aim, placesOf, recipe } from "./operation-recipes.ts";
import { readAt } from "./oracle/apply.ts";
import { wrongsOf } from "./oracle/check-operation.ts";
import { cloneJson, isEqual, isList, isRecord } from "./oracle/equality.ts";
import { outcomeOf, refusalsOf } from "./oracle/refusal.ts";
import { PROPERTY_TIMEOUT_MS, SEQUENCES } from "./runs.ts";

const check = { numRuns: SEQUENCES / 4 };
const slow = { timeout: PROPERTY_TIMEOUT_MS };

describe("getAt", () => {
  it("finds every value of a document, the very same, and nothing else", slow, () => {
    const property = fc.property(document, fc.array(segment, { minLength: 1, maxLength: 3 }), (start, tail) => {
      for (const { path } of placesOf(start)) {
        for (const asked of [path, [...path, ...tail]]) {
          const wrongs = wrongsOf(ops.delete(asked));
          if (wrongs.length > 0) expect(refusalsOf(() => getAt(start, asked))).toEqual(wrongs);
          else expect(getAt(start, asked)).toBe(readAt(start, asked));
        }
      }
    });
    fc.assert(property, check);
  });
});

describe("deepEqual", () => {
  it("is what the oracle calls equal, for any two values", slow, () => {
    const property = fc.property(value, value, (left, right) => {
      expect(deepEqual(left, right)).toBe(isEqual(left, right));
      expect(deepEqual([left, { a: right }], [right, { a: left }])).toBe(isEqual(left, right));
    });
    fc.assert(property, check);
  });

  it("does not mind copies or the order of keys, but every difference", slow, () => {
    const property = fc.property(document, fc.nat(), value, (start, pick, replacement) => {
      expect(deepEqual(start, cloneJson(start))).toBe(true);
      expect(deepEqual(start, turnKeysRound(start))).toBe(true);
      const places = placesOf(start);
      const changed = replaceNth(start, pick % places.length, replacement);
      expect(deepEqual(start, changed)).toBe(isEqual(start, changed));
      expect(deepEqual(changed, start)).toBe(isEqual(start, changed));
    });
    fc.assert(property, check);
  });
});

describe("parseOp and parsePatch", () => {
  it("accept exactly the operations that are well formed, as they are", slow, () => {
    const property = fc.property(document, recipe, (start, recipe) => {
      const op = aim(start, recipe);
      const wrongs = wrongsOf(op);
      if (wrongs.length === 0) {
        expect(parseOp(op)).toEqual(op);
        expect(parsePatch({ ops: [op, op] })).toEqual({ ops: [op, op] });
      } else {
        expect(wrongs).toContain(refusalsOf(() => parseOp(op))[0]);
        expect(wrongs).toContain(refusalsOf(() => parsePatch({ ops: [op] }))[0]);
      }
    });
    fc.assert(property, check);
  });
});

describe("applyPatches", () => {
  it("takes patches from any iterable, and leaves the rest when one fails", () => {
    let taken = 0;
    function* patches() {
      for (const op of [ops.append(["list"], 1), ops.increment(["no such"]), ops.append(["list"], 2)]) {
        taken++;
        yield { ops: [op] };
      }
    }
    const start = { list: [0] };
    expect(outcomeOf(() => applyPatches(start, patches()))).toEqual({ refused: ["PATH_NOT_FOUND"] });
    expect([start, taken]).toEqual([{ list: [0] }, 2]);
    expect(applyPatches(start, new Set([{ ops: [ops.append(["list"], 1)] }]))).toEqual({ list: [0, 1] });
  });
});

function turnKeysRound(json: Json): Json {
  if (isList(json)) return json.map(turnKeysRound);
  if (!isRecord(json)) return json;
  return Object.fromEntries(
    Object.entries(json)
      .toReversed()
      .map(([key, child]) => [key, turnKeysRound(child)]),
  );
}

/** Replaces one value, counted as `placesOf` counts; unlike an operation it can also enter reserved keys. */
function replaceNth(json: Json, nth: number, replacement: Json): Json {
  const path = placesOf(json)[nth]?.path ?? [];
  const change = (current: Json, depth: number): Json => {
    const segment = path[depth];
    if (segment === undefined) return replacement;
    if (isList(current)) return current.map((item, index) => (index === segment ? change(item, depth + 1) : item));
    if (!isRecord(current)) return current;
    const entries = Object.entries(current);
    return Object.fromEntries(entries.map(([key, child]) => [key, key === segment ? change(child, depth + 1) : child]));
  };
  return change(json, 0);
}
