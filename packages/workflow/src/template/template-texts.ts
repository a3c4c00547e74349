import type { ShapePath } from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";

/** A text of a value and the way to it. */
export interface TextAt {
  readonly path: ShapePath;
  readonly text: string;
}

/** Every text inside a JSON value, keys excepted. */
export function textsIn(value: Json | undefined, path: ShapePath = []): readonly TextAt[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]));
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key]));
}
