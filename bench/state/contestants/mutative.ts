import { apply, create } from "mutative";
import type { Change } from "../change.ts";
import { type Contestant, defineContestant } from "../contestant.ts";
import type { Json, Segment } from "../json.ts";
import { loadMutate } from "../load-mutate.ts";

export const MUTATIVE_APPLY = "mutative apply";
export const MUTATIVE_CREATE = "mutative create";

interface MutativePatch {
  op: "add" | "remove" | "replace";
  path: Segment[];
  value?: Json;
}

/** Mutative with its defaults: it freezes nothing. */
export async function createMutative(): Promise<readonly Contestant[]> {
  const mutate = await loadMutate("mutative");
  return [
    defineContestant<MutativePatch[]>({
      name: MUTATIVE_APPLY,
      note: "patches as data; batched: all of them in one call",
      immutable: true,
      prepare: toPatches,
      apply: (document, patches) => apply(document as object, patches) as Json,
      applyAll: (document, log) => apply(document as object, log.flat()) as Json,
    }),
    defineContestant<Change>({
      name: MUTATIVE_CREATE,
      note: "a recipe; batched: one draft",
      immutable: true,
      prepare: (change) => change,
      apply: (document, change) => create(document as object, (draft) => mutate(draft as Json, change)) as Json,
      applyAll: (document, changes) =>
        create(document as object, (draft) => {
          for (const change of changes) mutate(draft as Json, change);
        }) as Json,
    }),
  ];
}

function toPatches(change: Change): MutativePatch[] {
  const path = [...change.path];
  switch (change.kind) {
    case "set":
      return [{ op: "replace", path, value: change.value }];
    case "increment":
      return [{ op: "replace", path, value: change.result }];
    case "append":
      return [{ op: "add", path: [...path, change.index], value: change.value }];
    case "merge":
      return Object.entries(change.value).map(([key, value]) => ({ op: "add", path: [...path, key], value }));
    case "delete":
      return [{ op: "remove", path }];
    default:
      return change satisfies never;
  }
}
