/** A document as every contestant sees it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** One step into a document: a string names a key, a number an array index. */
export type Segment = string | number;

/** Reads the value at a path of a document that is known to have one there. */
export function valueAt(document: Json, path: readonly Segment[]): Json {
  let value = document;
  for (const segment of path) {
    // The cases only name paths that exist, so every value on the way is a container with that segment.
    value = (value as Readonly<Record<Segment, Json>>)[segment] as Json;
  }
  return value;
}
