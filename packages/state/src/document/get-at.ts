import { isArray, isObject, type Json, ownValue } from "./json.ts";
import { assertPath, type Path } from "./path.ts";

/** Reads the value at a path, or undefined when there is none. */
export function getAt(document: Json, path: Path): Json | undefined {
  assertPath(path);
  let value: Json | undefined = document;
  for (const segment of path) {
    if (typeof segment === "number") value = isArray(value) ? value[segment] : undefined;
    else value = isObject(value) ? ownValue(value, segment) : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}
