import fc from "fast-check";
import type { Json, Op, OpName, Patch, Path, Segment } from "../src/index.ts";
import { amount, index, notJson, RESERVED, segment, value } from "./arbitraries.ts";
import { asJson } from "./hostile-values.ts";
import { applySlowly } from "./oracle/apply.ts";
import { cloneJson, isList, isRecord } from "./oracle/equality.ts";
import type { OracleLattices } from "./oracle/lattices.ts";
import { outcomeOf } from "./oracle/refusal.ts";
import { registeredDelta } from "./registered-lattices.ts";

/**
 * An operation that is not yet aimed. It becomes one when it meets a document: `fit` goes to a place where the operation
 * makes sense, `any` to any place, `below` to somewhere under a place, `wild` anywhere.
 */
export interface Recipe {
  readonly op: OpName;
  readonly aim: "fit" | "any" | "below" | "wild";
  readonly pick: number;
  readonly tail: readonly Segment[];
  readonly value: Json;
  readonly index: number;
  readonly amount: number;
  /** A place that has a lattice, and a delta that fits it. */
  readonly registered?: { readonly path: Path; readonly delta: Json };
}

const OP_NAMES: readonly OpName[] = [
  ...(["set", "delete", "append", "merge_object", "increment", "decrement", "insert", "remove"] as const),
  "lattice_merge",
];

export function recipeWith(
  values: fc.Arbitrary<Json>,
  segments: fc.Arbitrary<Segment> = segment,
): fc.Arbitrary<Recipe> {
  const ingredients = {
    aim: fc.oneof(
      { weight: 13, arbitrary: fc.constant("fit" as const) },
      { weight: 4, arbitrary: fc.constantFrom("any" as const, "below" as const) },
      { weight: 1, arbitrary: fc.constant("wild" as const) },
    ),
    pick: fc.nat({ max: 1000 }),
    tail: fc.array(segments, { minLength: 1, maxLength: 3 }),
    value: values,
    index,
    amount,
  };
  return fc.oneof(
    { weight: 9, arbitrary: fc.record({ ...ingredients, op: fc.constantFrom(...OP_NAMES) }) },
    {
      weight: 1,
      arbitrary: fc.record({ ...ingredients, op: fc.constant("lattice_merge" as const), registered: registeredDelta }),
    },
  );
}

/** Now and then a value that is not JSON at all. */
export const recipe: fc.Arbitrary<Recipe> = recipeWith(
  fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: notJson.map(asJson) }),
);

/**
 * Aims recipes at the document as it evolves, so that most operations succeed. Without `keepFailing` those that would
 * fail are left out, and the patch applies.
 */
export function aimPatch(
  document: Json,
  recipes: readonly Recipe[],
  lattices: OracleLattices,
  keepFailing: boolean,
): Patch {
  const ops: Op[] = [];
  let current = document;
  for (const recipe of recipes) {
    const op = aim(current, recipe);
    const outcome = outcomeOf(() => applySlowly(current, op, lattices));
    if ("document" in outcome) current = outcome.document;
    if ("document" in outcome || keepFailing) ops.push(op);
  }
  return { ops };
}

/** Makes one operation for this document. */
export function aim(document: Json, recipe: Recipe): Op {
  if (recipe.registered !== undefined) {
    return { op: "lattice_merge", path: recipe.registered.path, value: recipe.registered.delta };
  }
  const place = choosePlace(document, recipe);
  const { path } = place;
  const fits = recipe.aim === "fit";
  switch (recipe.op) {
    case "delete":
      return { op: "delete", path };
    case "increment":
    case "decrement":
      return { op: recipe.op, path, amount: recipe.amount };
    case "insert": {
      const length = isList(place.value) ? place.value.length : 0;
      return { op: "insert", path, index: fits ? recipe.index % (length + 1) : recipe.index, value: recipe.value };
    }
    case "remove": {
      const known = isList(place.value) ? place.value[recipe.index % place.value.length] : undefined;
      return { op: "remove", path, value: known !== undefined && fits ? cloneJson(known) : recipe.value };
    }
    case "merge_object":
      return { op: "merge_object", path, value: fits && !isRecord(recipe.value) ? { a: recipe.value } : recipe.value };
    default:
      return { op: recipe.op, path, value: recipe.value };
  }
}

interface Place {
  readonly path: Path;
  readonly value: Json | undefined;
}

function choosePlace(document: Json, recipe: Recipe): Place {
  const wild = { path: recipe.tail, value: undefined };
  if (recipe.aim === "wild") return wild;
  const places = placesOf(document);
  const suitable = recipe.aim === "fit" ? places.filter((place) => isSuitable(recipe.op, place)) : places;
  const chosen = suitable[recipe.pick % suitable.length] ?? wild;
  return recipe.aim === "below" ? { path: [...chosen.path, ...recipe.tail], value: undefined } : chosen;
}

/** The document and everything in it, each with its path. */
export function placesOf(value: Json, path: Path = []): readonly Place[] {
  const children: readonly (readonly [Segment, Json])[] = isList(value)
    ? [...value.entries()]
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return [{ path, value }, ...children.flatMap(([segment, child]) => placesOf(child, [...path, segment]))];
}

function isSuitable(op: OpName, { path, value }: Place): boolean {
  if (path.some((segment) => RESERVED.includes(String(segment)))) return false;
  // Whole documents come and go by `any`; here they would end too many sequences early.
  if (op === "set" || op === "delete") return path.length > 0;
  if (op === "append" || op === "insert" || op === "remove") return isList(value);
  if (op === "merge_object") return isRecord(value);
  if (op === "lattice_merge") return path.length > 0;
  return typeof value === "number" && Number.isSafeInteger(value);
}
