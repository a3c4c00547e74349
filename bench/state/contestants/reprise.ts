import { applyPatch, applyPatches, type Op, type Patch } from "../../../packages/state/src/index.ts";
import type { Change } from "../change.ts";
import { type Contestant, defineContestant } from "../contestant.ts";

export const REPRISE = "@reprise/state";

export const reprise: Contestant = defineContestant<Patch>({
  name: REPRISE,
  note: "`applyPatch`; batched: `applyPatches`",
  immutable: true,
  prepare: (change) => ({ ops: [toOp(change)] }),
  apply: applyPatch,
  applyAll: applyPatches,
});

function toOp(change: Change): Op {
  const { path } = change;
  switch (change.kind) {
    case "set":
      return { op: "set", path, value: change.value };
    case "increment":
      return { op: "increment", path, amount: change.amount };
    case "append":
      return { op: "append", path, value: change.value };
    case "merge":
      return { op: "merge_object", path, value: change.value };
    case "delete":
      return { op: "delete", path };
    default:
      return change satisfies never;
  }
}
