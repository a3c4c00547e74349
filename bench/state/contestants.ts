import type { Contestant } from "./contestant.ts";
import { fastJsonPatchClone } from "./contestants/fast-json-patch.ts";
import { createImmer } from "./contestants/immer.ts";
import { immutableJsonPatch } from "./contestants/immutable-json-patch.ts";
import { createInPlace } from "./contestants/in-place.ts";
import { createMutative } from "./contestants/mutative.ts";
import { pathCopy } from "./contestants/path-copy.ts";
import { reducer } from "./contestants/reducer.ts";
import { reprise } from "./contestants/reprise.ts";
import { createStructuredClone } from "./contestants/structured-clone.ts";

/** Everybody who runs, in the order of the tables. */
export async function createContestants(): Promise<readonly Contestant[]> {
  return [
    reprise,
    pathCopy,
    reducer,
    ...(await createMutative()),
    ...(await createImmer()),
    immutableJsonPatch,
    fastJsonPatchClone,
    await createStructuredClone(),
    await createInPlace(),
  ];
}
