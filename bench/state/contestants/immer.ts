import { enablePatches, produce, produceWithPatches } from "immer";
import type { Change } from "../change.ts";
import { type Contestant, defineContestant } from "../contestant.ts";
import type { Json } from "../json.ts";
import { loadMutate } from "../load-mutate.ts";

/** Immer with its defaults, which freeze every result. */
export async function createImmer(): Promise<readonly Contestant[]> {
  enablePatches();
  const mutate = await loadMutate("immer");
  const mutateAll = (draft: Json, changes: readonly Change[]): void => {
    for (const change of changes) mutate(draft, change);
  };
  return [
    defineContestant<Change>({
      name: "immer produce",
      note: "a recipe, freezing as by default; batched: one draft",
      immutable: true,
      prepare: (change) => change,
      apply: (document, change) => produce(document as object, (draft) => mutate(draft as Json, change)) as Json,
      applyAll: (document, changes) =>
        produce(document as object, (draft) => mutateAll(draft as Json, changes)) as Json,
    }),
    defineContestant<Change>({
      name: "immer produceWithPatches",
      note: "a recipe, freezing as by default, makes patches both ways; batched: one draft",
      immutable: true,
      prepare: (change) => change,
      apply: (document, change) =>
        produceWithPatches(document as object, (draft) => mutate(draft as Json, change))[0] as Json,
      applyAll: (document, changes) =>
        produceWithPatches(document as object, (draft) => mutateAll(draft as Json, changes))[0] as Json,
    }),
  ];
}
