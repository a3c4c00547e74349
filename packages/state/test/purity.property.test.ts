import { types } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch, applyPatches, type Json, type Op, ops, type Patch, StateError } from "../src/index.ts";
import { document, pathKey, segment, value } from "./arbitraries.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { aimPatch, placesOf, recipe, recipeWith } from "./operation-recipes.ts";
import { readAt } from "./oracle/apply.ts";
import { conflictBetween, touchedBy } from "./oracle/conflicts.ts";
import { canonicalText, cloneJson } from "./oracle/equality.ts";
import { REGISTERED, registry } from "./registered-lattices.ts";
import { PROPERTY_TIMEOUT_MS, SEQUENCES } from "./runs.ts";

const recipes = fc.array(recipeWith(value), { minLength: 1, maxLength: 8 });
const check = { numRuns: SEQUENCES / 10 };
const slow = { timeout: PROPERTY_TIMEOUT_MS };

describe("applying patches", () => {
  it("never writes into a frozen document or a frozen patch, whether it succeeds or fails", slow, () => {
    const anyRecipes = fc.array(recipe, { minLength: 1, maxLength: 8 });
    const property = fc.property(document, anyRecipes, fc.boolean(), (start, sequence, keepFailing) => {
      const patch = deepFreeze(aimPatch(start, sequence, REGISTERED, keepFailing));
      deepFreeze(start);
      try {
        applyPatch(start, patch, registry);
        applyPatches(start, [patch, patch], registry);
      } catch (error) {
        // A write to something frozen would be a TypeError.
        expect(StateError.is(error)).toBe(true);
      }
    });
    fc.assert(property, check);
  });

  it("leaves every document and every patch of a history as it was", slow, () => {
    const property = fc.property(document, fc.array(recipes, { minLength: 2, maxLength: 4 }), (start, sequences) => {
      const witnesses: { readonly value: Json; readonly text: string }[] = [];
      const remember = (value: Json) => witnesses.push({ value, text: canonicalText(value) });
      let current = start;
      remember(current);
      for (const sequence of sequences) {
        const patch = aimPatch(current, sequence, REGISTERED, false);
        for (const op of patch.ops) if ("value" in op) remember(op.value);
        current = applyPatch(current, patch, registry);
        remember(current);
      }
      for (const witness of witnesses) expect(canonicalText(witness.value)).toBe(witness.text);
    });
    fc.assert(property, check);
  });

  it("does not let a later operation change a value that came with an earlier one", slow, () => {
    const property = fc.property(document, value, recipes, (start, shared, sequence) => {
      // The same value stands in two places and in the patch; one place then changes.
      const first: readonly Op[] = [ops.set(["one"], shared), ops.set(["other"], shared), ops.set(["list"], [shared])];
      const between = applyPatch(start, { ops: first });
      const below = aimPatch(readAt(between, ["one"]) ?? null, sequence, [], false);
      const second = below.ops.map((op) => ({ ...op, path: ["one", ...op.path] }));
      const text = canonicalText(shared);
      const result = applyPatch(start, { ops: [...first, ...second] });
      expect(canonicalText(shared)).toBe(text);
      expect(canonicalText(readAt(result, ["other"]) ?? null)).toBe(text);
      expect(canonicalText(readAt(result, ["list", 0]) ?? null)).toBe(text);
    });
    fc.assert(property, check);
  });

  it("keeps the identity of everything that no operation touches", slow, () => {
    const property = fc.property(document, recipes, (start, sequence) => {
      const patch = aimPatch(start, sequence, REGISTERED, false);
      const result = applyPatch(start, patch, registry);
      for (const place of placesOf(start)) {
        if (patch.ops.some((op) => conflictBetween(touchedBy(op), place.path) !== undefined)) continue;
        expect(readAt(result, place.path)).toBe(place.value);
      }
    });
    fc.assert(property, check);
  });

  it("keeps the identity of the items and keys beside the one that changed", slow, () => {
    const items = fc.array(value, { minLength: 1, maxLength: 6 });
    const property = fc.property(items, fc.nat(), value, (items, pick, item) => {
      const index = pick % items.length;
      const before = { items };
      const after = (op: Op): Json | undefined => readAt(applyPatch(before, { ops: [op] }), ["items"]);
      expectSameItems(after(ops.append(["items"], item)), [...items, item]);
      expectSameItems(after(ops.insert(["items"], index, item)), items.toSpliced(index, 0, item));
      expectSameItems(after(ops.delete(["items", index])), items.toSpliced(index, 1));
      expectSameItems(after(ops.set(["items", index], item)), items.with(index, item));
      const merged = applyPatch(before, { ops: [ops.mergeObject([], { other: item })] });
      expect(readAt(merged, ["items"])).toBe(items);
      expect(readAt(merged, ["other"])).toBe(item);
    });
    fc.assert(property, check);
  });

  it("returns the document itself when nothing happens", slow, () => {
    const property = fc.property(document, fc.array(segment, { maxLength: 3 }), pathKey, (start, below, key) => {
      const noOps = placesOf(start).flatMap(({ path, value }): readonly Op[] => {
        const missing = [...path, ...below, key, "certainly missing"];
        const isMissing = readAt(start, missing) === undefined;
        const remove = Array.isArray(value) ? [ops.remove(path, "certainly missing")] : [];
        return isMissing ? [ops.delete(missing), ops.delete([...path, 1e9]), ...remove] : remove;
      });
      for (const op of noOps.filter(isLegal)) expect(applyPatch(start, { ops: [op] })).toBe(start);
      expect(applyPatches(start, [{ ops: noOps.filter(isLegal) }, { ops: [] }])).toBe(start);
      expect(applyPatches(start, [])).toBe(start);
    });
    fc.assert(property, check);
  });

  it("returns plain data: no proxies, no foreign prototypes, no holes", slow, () => {
    const property = fc.property(document, recipes, (start, sequence) => {
      const patch: Patch = aimPatch(start, sequence, REGISTERED, false);
      const result = applyPatch(start, patch, registry);
      for (const { value } of placesOf(result)) {
        if (typeof value !== "object" || value === null) continue;
        expect(types.isProxy(value)).toBe(false);
        expect([Object.prototype, Array.prototype, null]).toContain(Object.getPrototypeOf(value));
        expect(Object.values(value)).not.toContain(undefined);
      }
      expect(canonicalText(cloneJson(result))).toBe(canonicalText(result));
    });
    fc.assert(property, check);
  });
});

function isLegal(op: Op): boolean {
  const isWrong = (part: string | number): boolean =>
    typeof part === "number"
      ? !Number.isSafeInteger(part) || part < 0
      : ["__proto__", "constructor", "prototype"].includes(part);
  return !op.path.some(isWrong);
}

function expectSameItems(actual: Json | undefined, expected: readonly Json[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [index, item] of expected.entries()) expect(readAt(actual ?? null, [index])).toBe(item);
}
