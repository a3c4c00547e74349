import type { Change } from "./change.ts";
import type { Json, Segment } from "./json.ts";

/** The part of RFC 6902 that the changes need. */
export type JsonPatchOperation =
  | { op: "add"; path: string; value: Json }
  | { op: "replace"; path: string; value: Json }
  | { op: "remove"; path: string };

/** JSON Patch has no increment and no merge: the first becomes its result, the second one operation a key. */
export function toJsonPatch(change: Change): JsonPatchOperation[] {
  const path = pointer(change.path);
  switch (change.kind) {
    case "set":
      return [{ op: "replace", path, value: change.value }];
    case "increment":
      return [{ op: "replace", path, value: change.result }];
    case "append":
      return [{ op: "add", path: `${path}/-`, value: change.value }];
    case "merge":
      return Object.entries(change.value).map(([key, value]) => ({
        op: "add",
        path: `${path}${pointer([key])}`,
        value,
      }));
    case "delete":
      return [{ op: "remove", path }];
    default:
      return change satisfies never;
  }
}

function pointer(path: readonly Segment[]): string {
  return path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
