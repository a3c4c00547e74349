import { applyPatch } from "../apply/apply-patch.ts";
import { deepEqual } from "../document/deep-equal.ts";
import { toJsonPointer } from "../document/format-path.ts";
import { getAt } from "../document/get-at.ts";
import { isArray, isObject, type Json } from "../document/json.ts";
import { isReservedKey, type Path } from "../document/path.ts";
import type { LatticeLookup } from "../lattice/lattice-registry.ts";
import type { Op } from "../operations/op.ts";
import type { Patch } from "../operations/patch.ts";

/** An operation of RFC 6902, of the kinds a state change needs. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/**
 * Says a patch in the words of JSON Patch (RFC 6902), for AG-UI and every other client that speaks it. The document before
 * is needed: JSON Patch has no increment or merge, and its `add` and `replace` depend on what is there.
 */
export function toJsonPatch(document: Json, patch: Patch, lattices?: LatticeLookup): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  let before = document;
  for (const op of patch.ops) {
    const after = applyPatch(before, { ops: [op] }, lattices);
    // One by one: a merge of a very wide object would not fit on the stack.
    for (const operation of after === before ? [] : translate(op, before, after)) operations.push(operation);
    before = after;
  }
  return operations;
}

/** Translates one operation that changed the document. */
function translate(op: Op, before: Json, after: Json): readonly JsonPatchOperation[] {
  const target = getAt(before, op.path);
  switch (op.op) {
    case "delete":
      return [op.path.length === 0 ? write([], before, after) : { op: "remove", path: toJsonPointer(op.path) }];
    case "append":
      if (!isArray(target)) return [write(op.path, before, after)];
      return [{ op: "add", path: `${toJsonPointer(op.path)}/-`, value: op.value }];
    case "insert":
      return [{ op: "add", path: toJsonPointer([...op.path, op.index]), value: op.value }];
    case "remove": {
      const index = isArray(target) ? target.findIndex((item) => deepEqual(item, op.value)) : -1;
      return [{ op: "remove", path: toJsonPointer([...op.path, index]) }];
    }
    case "merge_object": {
      const keys = isObject(target) && isObject(op.value) ? Object.keys(op.value) : [];
      if (keys.length === 0 || keys.some(isReservedKey)) return [write(op.path, before, after)];
      return keys.map((key) => write([...op.path, key], before, after));
    }
    case "set":
    case "increment":
    case "decrement":
    case "lattice_merge":
      return [write(op.path, before, after)];
    default:
      return op satisfies never;
  }
}

/** Writes what stands at a path afterwards, or at the first container on the way that had to be made for it. */
function write(path: Path, before: Json, after: Json): JsonPatchOperation {
  const made = path.findIndex((segment, position) => {
    const container = getAt(before, path.slice(0, position));
    return typeof segment === "number" ? !isArray(container) : !isObject(container);
  });
  const target = made < 0 ? path : path.slice(0, made);
  const exists = target.length === 0 || getAt(before, target) !== undefined;
  return { op: exists ? "replace" : "add", path: toJsonPointer(target), value: getAt(after, target) ?? null };
}
