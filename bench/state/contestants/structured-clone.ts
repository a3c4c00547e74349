import type { Change } from "../change.ts";
import { type Contestant, defineContestant } from "../contestant.ts";
import { loadMutate } from "../load-mutate.ts";

/** Copies the whole document, then changes the copy. */
export async function createStructuredClone(): Promise<Contestant> {
  const mutate = await loadMutate("structured-clone");
  return defineContestant<Change>({
    name: "structuredClone + mutation",
    note: "the whole document is cloned for every change; batched: once",
    immutable: true,
    prepare: (change) => change,
    apply(document, change) {
      const copy = structuredClone(document);
      mutate(copy, change);
      return copy;
    },
    applyAll(document, changes) {
      const copy = structuredClone(document);
      for (const change of changes) mutate(copy, change);
      return copy;
    },
  });
}
