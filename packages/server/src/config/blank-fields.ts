import type { Json, JsonObject } from "@reprise/state";
import type { ConfigProblem } from "./config-problem.ts";
import { itemIn, keyIn, type Place, problemAt } from "./place.ts";
import { isJsonObject, isPlainObject } from "./shape.ts";

/** A schema that wants a text that is not empty wants one that is not blank, either: nobody means an id of three spaces. */
export function refuseBlanks(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(isFilledText(schema) ? { ...schema, pattern: "\\S" } : schema).map(([key, value]) => [
      key,
      refuseIn(value),
    ]),
  );
}

function refuseIn(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => refuseIn(item));
  return isJsonObject(value) ? refuseBlanks(value) : value;
}

/** The texts of a value that are blank where its schema wants one that is not empty. */
export function findBlanks(schema: Json | undefined, value: unknown, place: Place): readonly ConfigProblem[] {
  if (!isJsonObject(schema)) return [];
  if (isFilledText(schema)) {
    const isBlank = typeof value === "string" && value !== "" && value.trim() === "";
    return isBlank ? [problemAt(place, "is blank")] : [];
  }
  const { oneOf = [], properties = {}, additionalProperties, items } = schema;
  const found = Array.isArray(oneOf) ? oneOf.flatMap((variant: Json) => findBlanks(variant, value, place)) : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findBlanks(items, item, itemIn(place, index)));
  if (!isPlainObject(value)) return found;
  const inside = Object.entries(value).flatMap(([key, entry]) => {
    const known = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    return findBlanks(known, entry, keyIn(place, key));
  });
  return dropRepeated([...found, ...inside]);
}

function isFilledText({ type, minLength }: JsonObject): boolean {
  return type === "string" && minLength === 1;
}

/** Variants of one object share fields. */
function dropRepeated(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.filter(({ path }, index) => problems.findIndex((other) => other.path === path) === index);
}
