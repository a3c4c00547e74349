import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch, diff, type Json, ops, parsePatch } from "../src/index.ts";
import { document, documentWithoutReservedKeys, scalar, value } from "./arbitraries.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { aimPatch, placesOf, recipeWith } from "./operation-recipes.ts";
import { applySlowly } from "./oracle/apply.ts";
import { canonicalText, cloneJson, isEqual, isRecord } from "./oracle/equality.ts";
import { outcomeOf } from "./oracle/refusal.ts";
import { deltaApart, registry, registryApart } from "./registered-lattices.ts";
import { PROPERTY_TIMEOUT_MS, SEQUENCES } from "./runs.ts";

const recipes = fc.array(recipeWith(value), { minLength: 1, maxLength: 4 });
const check = { numRuns: SEQUENCES / 4 };
const slow = { timeout: PROPERTY_TIMEOUT_MS };

describe("diff", () => {
  it("turns any document into any other", slow, () => {
    fc.assert(fc.property(document, document, expectDiffLeadsTo), check);
  });

  it("turns a document into an edited one and back, sharing what was not edited", slow, () => {
    const property = fc.property(document, recipes, (before, sequence) => {
      const after = applyPatch(before, aimPatch(before, sequence, [], false));
      expectDiffLeadsTo(before, after);
      expectDiffLeadsTo(after, before);
      expectDiffLeadsTo(before, cloneJson(after));
    });
    fc.assert(property, check);
  });

  it("turns arrays of few different items into each other", slow, () => {
    const items = fc.array(fc.constantFrom<Json>(1, 2, "1", null, [], [1], {}, { a: 1 }), { maxLength: 10 });
    const property = fc.property(items, items, (before, after) => {
      expectDiffLeadsTo(before, after);
      expectDiffLeadsTo({ items: [before, 1] }, { items: [after, 1] });
    });
    fc.assert(property, check);
  });

  it("finds nothing between a document and itself or its copy", slow, () => {
    const property = fc.property(document, (before) => {
      expect(diff(before, before)).toEqual([]);
      expect(diff(before, cloneJson(before))).toEqual([]);
    });
    fc.assert(property, check);
  });

  it("finds nothing between a document and its copy where lattices are registered, whatever stands there", slow, () => {
    const property = fc.property(document, (before) => {
      expect(diff(before, cloneJson(before), { lattices: registry })).toEqual([]);
    });
    fc.assert(property, check);
  });

  it("says what lattices merged by merges", slow, () => {
    const property = fc.property(document, fc.array(deltaApart, { maxLength: 3 }), (before, deltas) => {
      const merges = deltas.map(({ path, delta }) => ops.latticeMerge(path, delta));
      const outcome = outcomeOf(() => applyPatch(before, { ops: merges }, registryApart));
      fc.pre("document" in outcome);
      const found = diff(before, outcome.document, { lattices: registryApart });
      expect(canonicalText(applyPatch(before, { ops: found }, registryApart))).toBe(canonicalText(outcome.document));
    });
    fc.assert(property, check);
  });

  it("names one changed place by one operation at that place", slow, () => {
    const property = fc.property(documentWithoutReservedKeys, fc.nat(), scalar, (before, pick, replacement) => {
      const places = placesOf(before).filter(({ path }) => path.every((segment) => typeof segment === "string"));
      const place = places[pick % places.length];
      fc.pre(place?.value !== undefined && !isEqual(place.value, replacement));
      const after = applySlowly(before, { op: "set", path: place.path, value: replacement });
      expect(diff(before, after)).toEqual([{ op: "set", path: place.path, value: replacement }]);
    });
    fc.assert(property, check);
  });

  it("needs no more operations than keys were changed, added or taken away", slow, () => {
    const edits = fc.uniqueArray(fc.tuple(fc.nat({ max: 19 }), fc.constantFrom("change", "add", "take")), {
      maxLength: 8,
      selector: ([key]) => key,
    });
    const property = fc.property(edits, fc.boolean(), (edits, isNested) => {
      const before: Record<string, Json> = Object.fromEntries(
        Array.from({ length: 20 }, (_, key) => [`key ${key}`, isNested ? { value: [key] } : key]),
      );
      const after: Record<string, Json> = { ...before };
      for (const [key, edit] of edits) {
        if (edit === "take") delete after[`key ${key}`];
        else after[edit === "add" ? `new ${key}` : `key ${key}`] = isNested ? { value: [-1] } : -1;
      }
      expectDiffLeadsTo(before, after);
      expect(diff(before, after).length).toBeLessThanOrEqual(edits.length);
    });
    fc.assert(property, check);
  });

  it("needs no more operations than items were inserted and deleted", slow, () => {
    const edits = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.boolean()), { minLength: 1, maxLength: 6 });
    const property = fc.property(edits, fc.nat({ max: 20 }), fc.boolean(), (edits, length, areObjects) => {
      const item = (number: number): Json => (areObjects ? { id: number } : number);
      const before = Array.from({ length }, (_, index) => item(index));
      const after = [...before];
      for (const [order, [at, isInsertion]] of edits.entries()) {
        if (isInsertion) after.splice(at % (after.length + 1), 0, item(1000 + order));
        else if (after.length > 0) after.splice(at % after.length, 1);
      }
      const found = diff({ items: before }, { items: after });
      expectDiffLeadsTo({ items: before }, { items: after });
      expect(found.length).toBeLessThanOrEqual(edits.length);
    });
    fc.assert(property, check);
  });
});

describe("the operations of a diff", () => {
  it("are well formed, so that they can travel", slow, () => {
    const property = fc.property(document, document, (before, after) => {
      const found = { ops: diff(before, after) };
      expect(parsePatch(found)).toEqual(found);
    });
    fc.assert(property, check);
  });

  it("carry the path at which the two documents stand", slow, () => {
    const property = fc.property(document, document, (before, after) => {
      const found = diff(before, after, { at: ["outer", 0] });
      const result = applyPatch({ outer: [before] }, { ops: found });
      expect(canonicalText(result)).toBe(canonicalText({ outer: [after] }));
      expect(found.every((op) => op.path[0] === "outer" && op.path[1] === 0)).toBe(true);
    });
    fc.assert(property, check);
  });
});

/** Diffing frozen documents: reading must be enough. */
function expectDiffLeadsTo(before: Json, after: Json): void {
  const result = applyPatch(before, { ops: diff(deepFreeze(before), deepFreeze(after)) });
  expect(canonicalText(result)).toBe(canonicalText(after));
  if (isRecord(result)) expect(Object.getPrototypeOf(result)).toSatisfy(isPlainPrototype);
}

function isPlainPrototype(prototype: unknown): boolean {
  return prototype === Object.prototype || prototype === null;
}
