import fc from "fast-check";
import jsonPatch from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { applyPatch, type Json, ops, type Patch, toJsonPatch, toJsonPointer } from "../src/index.ts";
import { documentWithoutReservedKeys, index, pathKey, RESERVED, valueWithoutReservedKeys } from "./arbitraries.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { aimPatch, placesOf, recipeWith } from "./operation-recipes.ts";
import { readAt } from "./oracle/apply.ts";
import { canonicalText, cloneJson } from "./oracle/equality.ts";
import { refusalsOf } from "./oracle/refusal.ts";
import { REGISTERED, registry } from "./registered-lattices.ts";
import { PROPERTY_TIMEOUT_MS, SEQUENCES } from "./runs.ts";

const segment = fc.oneof(pathKey, index);
// The library refuses pointers with reserved keys, so deltas that have such keys stay out.
const recipes = fc.array(
  recipeWith(valueWithoutReservedKeys, segment).filter(
    ({ registered }) => !namesReservedKey(registered?.delta ?? null),
  ),
  { minLength: 1, maxLength: 6 },
);
const check = { numRuns: SEQUENCES / 4 };
const slow = { timeout: PROPERTY_TIMEOUT_MS };

describe("toJsonPatch", () => {
  it("says a patch so that a JSON Patch library comes to the same document", slow, () => {
    const property = fc.property(documentWithoutReservedKeys, recipes, (start, sequence) => {
      const patch = aimPatch(start, sequence, [], false);
      expect(throughJsonPatch(start, patch)).toBe(canonicalText(applyPatch(start, patch)));
    });
    fc.assert(property, check);
  });

  it("says lattice merges by their result", slow, () => {
    const property = fc.property(documentWithoutReservedKeys, recipes, (start, sequence) => {
      const patch = aimPatch(start, sequence, REGISTERED, false);
      expect(throughJsonPatch(start, patch, registry)).toBe(canonicalText(applyPatch(start, patch, registry)));
    });
    fc.assert(property, check);
  });

  it("refuses a patch that does not apply, with the same code", slow, () => {
    const property = fc.property(documentWithoutReservedKeys, recipes, (start, sequence) => {
      const patch = aimPatch(start, sequence, [], true);
      expect(refusalsOf(() => toJsonPatch(start, patch))).toEqual(refusalsOf(() => applyPatch(start, patch)));
    });
    fc.assert(property, check);
  });

  it("says nothing for a patch that does nothing", () => {
    expect(toJsonPatch({ a: 1 }, { ops: [] })).toEqual([]);
    expect(toJsonPatch({ a: [1] }, { ops: [ops.delete(["b"]), ops.remove(["a"], 2)] })).toEqual([]);
  });

  it("writes pointers that lead to the place their path names", slow, () => {
    const property = fc.property(fc.array(segment, { maxLength: 4 }), (path) => {
      const document = path.reduceRight<Json>(
        (below, segment) =>
          typeof segment === "string" ? { [segment]: below, other: 0 } : [...Array<Json>(segment % 4).fill(0), below],
        "here",
      );
      const reachable = path.map((segment) => (typeof segment === "string" ? segment : segment % 4));
      expect(readAt(document, reachable)).toBe("here");
      expect(jsonPatch.getValueByPointer(document, toJsonPointer(reachable))).toBe("here");
    });
    fc.assert(property, check);
  });
});

function throughJsonPatch(start: Json, patch: Patch, lattices?: typeof registry): string {
  const operations = toJsonPatch(deepFreeze(start), deepFreeze(patch), lattices);
  // The library puts the values it is given into its document and then writes to them.
  const changes = operations.map((change) =>
    "value" in change ? { ...change, value: cloneJson(change.value) } : change,
  );
  return canonicalText(jsonPatch.applyPatch(cloneJson(start), changes, true).newDocument);
}

function namesReservedKey(value: Json): boolean {
  return placesOf(value).some(({ path }) => path.some((segment) => RESERVED.includes(String(segment))));
}
