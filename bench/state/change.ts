import type { Json, JsonObject, Segment } from "./json.ts";

interface Located {
  readonly path: readonly Segment[];
}

/**
 * One change of a document in no contestant's format. `result` and `index` say what the change comes to in its place in
 * the log, for formats that cannot express "add 3" or "at the end".
 */
export type Change =
  | (Located & { readonly kind: "set"; readonly value: Json })
  | (Located & { readonly kind: "increment"; readonly amount: number; readonly result: number })
  | (Located & { readonly kind: "append"; readonly value: Json; readonly index: number })
  | (Located & { readonly kind: "merge"; readonly value: JsonObject })
  | (Located & { readonly kind: "delete" });
