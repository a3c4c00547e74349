import type { Change } from "./change.ts";
import type { Json, Segment } from "./json.ts";

type Container = Record<Segment, Json>;

/** Makes a change in place: on a document that is not shared, or on a draft. */
export function mutate(document: Json, change: Change): void {
  const { path } = change;
  switch (change.kind) {
    case "set":
      parentOf(document, path)[lastOf(path)] = change.value;
      return;
    case "increment": {
      const parent = parentOf(document, path);
      parent[lastOf(path)] = (parent[lastOf(path)] as number) + change.amount;
      return;
    }
    case "append":
      listAt(document, path).push(unshared(change.value));
      return;
    case "merge": {
      const target = containerAt(document, path, path.length);
      for (const key of Object.keys(change.value)) target[key] = unshared(change.value[key] as Json);
      return;
    }
    case "delete": {
      const parent = parentOf(document, path);
      if (Array.isArray(parent)) parent.splice(lastOf(path) as number, 1);
      else delete parent[lastOf(path)];
      return;
    }
    default:
      change satisfies never;
  }
}

/** The log keeps its values: a record that a later change writes into must not be the log's own. Records are flat. */
function unshared(value: Json): Json {
  return typeof value === "object" && value !== null ? { ...value } : value;
}

function containerAt(document: Json, path: readonly Segment[], depth: number): Container {
  // The caller owns the document and the cases only name paths that exist.
  let container = document as Container;
  for (let position = 0; position < depth; position++) container = container[path[position] as Segment] as Container;
  return container;
}

function parentOf(document: Json, path: readonly Segment[]): Container {
  return containerAt(document, path, path.length - 1);
}

function listAt(document: Json, path: readonly Segment[]): Json[] {
  // Changes of this kind only name lists; two steps, since a container by key and a list do not overlap as types.
  const list: unknown = containerAt(document, path, path.length);
  return list as Json[];
}

function lastOf(path: readonly Segment[]): Segment {
  return path[path.length - 1] as Segment;
}
