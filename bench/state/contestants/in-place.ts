import type { Change } from "../change.ts";
import { type Contestant, defineContestant } from "../contestant.ts";
import { loadMutate } from "../load-mutate.ts";

export const IN_PLACE = "in-place mutation";

/** The floor: no copy at all, so no contestant that keeps the old document can be faster. */
export async function createInPlace(): Promise<Contestant> {
  const mutate = await loadMutate("in-place");
  return defineContestant<Change>({
    name: IN_PLACE,
    note: "the floor; changes its input",
    immutable: false,
    prepare: (change) => change,
    apply(document, change) {
      mutate(document, change);
      return document;
    },
    applyAll(document, changes) {
      for (const change of changes) mutate(document, change);
      return document;
    },
  });
}
