import type { Change } from "../change.ts";
import { type Contestant, defineContestant } from "../contestant.ts";
import type { Json, JsonObject, Segment } from "../json.ts";

export const PATH_COPY = "hand-written path copy";

/** What one writes instead of taking a library: copy each container on the path, share the rest. No checks. */
export const pathCopy: Contestant = defineContestant<Change>({
  name: PATH_COPY,
  note: "one recursive function, spread and slice along the path",
  immutable: true,
  prepare: (change) => change,
  apply: applyChange,
});

function applyChange(document: Json, change: Change): Json {
  switch (change.kind) {
    case "set":
      return update(document, change.path, 0, () => change.value);
    case "increment":
      return update(document, change.path, 0, (value) => (value as number) + change.amount);
    case "append":
      return update(document, change.path, 0, (list) => (list as readonly Json[]).concat([change.value]));
    case "merge":
      return update(document, change.path, 0, (object) => ({ ...(object as JsonObject), ...change.value }));
    case "delete":
      return update(document, change.path.slice(0, -1), 0, (parent) => without(parent, change.path.at(-1) as Segment));
    default:
      return change satisfies never;
  }
}

function update(node: Json, path: readonly Segment[], depth: number, change: (value: Json) => Json): Json {
  if (depth === path.length) return change(node);
  const segment = path[depth];
  if (typeof segment === "number") {
    const copy = (node as readonly Json[]).slice();
    copy[segment] = update(copy[segment] as Json, path, depth + 1, change);
    return copy;
  }
  const key = segment as string;
  const object = node as JsonObject;
  return { ...object, [key]: update(object[key] as Json, path, depth + 1, change) };
}

function without(parent: Json, segment: Segment): Json {
  if (typeof segment === "number") {
    const list = parent as readonly Json[];
    return list.slice(0, segment).concat(list.slice(segment + 1));
  }
  const { [segment]: _, ...rest } = parent as JsonObject;
  return rest;
}
