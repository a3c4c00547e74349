import type { Effect, RunRecord, StoredChangeset } from "@reprise/contracts";
import type { StoredClaim } from "../effects/live-port.ts";
import type { RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";

/** One activation of a recorded run: everything one owner committed. */
export interface RecordedActivation {
  readonly epoch: number;
  readonly claim: StoredClaim;
  readonly changesets: readonly StoredChangeset[];
}

/** What happened to the thread of a recorded run after its first changeset, in order. */
export type RecordedPart =
  | { readonly kind: "activation"; readonly activation: RecordedActivation }
  /** A change from outside, while the run waited. */
  | { readonly kind: "outside"; readonly changeset: StoredChangeset }
  /** Another run took the place of this one. */
  | { readonly kind: "closed"; readonly changeset: StoredChangeset };

/** Splits a recording into what each owner did. */
export function splitRecording({ run, changesets }: RunRecording): readonly RecordedPart[] {
  const parts: RecordedPart[] = [];
  let own: StoredChangeset[] = [];
  const flush = (): void => {
    const [first] = own;
    if (first === undefined) return;
    const activation = { epoch: epochOf(run, first), claim: claimOf(run, first), changesets: own };
    parts.push({ kind: "activation", activation });
    own = [];
  };
  for (const changeset of changesets.slice(1)) {
    const isOwn = changeset.run_id === run.run_id;
    if (!isOwn || (own[0] !== undefined && epochOf(run, own[0]) !== epochOf(run, changeset))) flush();
    if (isOwn) own.push(changeset);
    else parts.push({ kind: changeset.run_id === null ? "outside" : "closed", changeset });
  }
  flush();
  return parts;
}

/** Which claim a changeset was committed under: its id says so. */
function epochOf({ run_id }: RunRecord, { changeset_id }: StoredChangeset): number {
  const epoch = /^-e(\d+)-n\d+$/.exec(changeset_id.slice(run_id.length))?.[1];
  if (epoch === undefined) throw replayImpossible(run_id, `the id of the changeset ${changeset_id} names no claim`);
  return Number(epoch);
}

/** An activation begins with its claim. */
function claimOf({ run_id }: RunRecord, { effects = [] }: StoredChangeset): StoredClaim {
  const [claim]: readonly Effect[] = effects;
  if (claim?.kind !== "claim" || claim.value === undefined)
    throw replayImpossible(run_id, "it was made before effects were recorded");
  // Written by the live port.
  return claim.value as unknown as StoredClaim;
}

/** The row of a run after a changeset. */
export function rowOf({ run_id }: RunRecord, { runs }: StoredChangeset): RunRecord | undefined {
  return runs.find((row) => row.run_id === run_id);
}
