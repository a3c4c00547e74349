import { type AgentEvent, RepriseError, type RunRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { DEFAULT_CANCEL_REASON } from "../dispatcher/outcomes.ts";
import { NOTE } from "./notes.ts";
import type { CommittedChangeset } from "./read-changesets.ts";
import type { RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";

/** How far the work had come: by its ticks, what was shown, and what nobody sees yet. Recordings of old lack the last. */
export interface WorkPlace {
  readonly ticks: number;
  readonly shown: number;
  readonly unseen?: number;
}

/** One activation of a recorded run: everything one owner committed. */
export interface RecordedActivation {
  readonly epoch: number;
  readonly kind: "start" | "recover";
  /** The entry that woke the run. */
  readonly entryId?: string;
  readonly changesets: readonly CommittedChangeset[];
  /** How a cancellation came: at a place of the work, or before it began. */
  readonly cancel?: {
    readonly entryId: string;
    readonly reason: string;
    readonly at?: WorkPlace;
  };
  readonly isPoison: boolean;
}

/** What happened to the thread of a recorded run after its first changeset, in order. */
export type RecordedPart =
  | { readonly kind: "activation"; readonly activation: RecordedActivation }
  /** A change from outside, while the run waited. */
  | { readonly kind: "outside"; readonly changeset: CommittedChangeset }
  /** Another run took the place of this one. */
  | { readonly kind: "closed"; readonly changeset: CommittedChangeset };

/** Splits a recording into what each owner did. */
export function splitRecording({ run, changesets }: RunRecording): readonly RecordedPart[] {
  const parts: RecordedPart[] = [];
  let own: CommittedChangeset[] = [];
  const flush = (): void => {
    const [first] = own;
    if (first === undefined) return;
    parts.push({
      kind: "activation",
      activation: describe(run, own, { epoch: epochOf(run, first), isFirst: parts.length === 0 }),
    });
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
function epochOf({ run_id }: RunRecord, { changeset_id }: CommittedChangeset): number {
  const epoch = /^-e(\d+)-n\d+$/.exec(changeset_id.slice(run_id.length))?.[1];
  if (epoch === undefined) throw replayImpossible(run_id, `the changeset ${changeset_id} has an id nobody knows`);
  return Number(epoch);
}

function describe(
  run: RunRecord,
  changesets: readonly CommittedChangeset[],
  { epoch, isFirst }: { readonly epoch: number; readonly isFirst: boolean },
): RecordedActivation {
  const [first] = changesets;
  const last = changesets.at(-1);
  if (first === undefined || last === undefined) throw new RepriseError("INTERNAL", "An activation without commits.");
  const isReopened = first.events.some((event) => event.run_id === run.run_id && event.type === "run_start");
  const { at, ...called } = cancelOf(last, changesets) ?? {};
  // An owner that works on a run begins with noting what the agent is.
  const row = rowOf(run, first);
  const isFoundCancelled = row?.termination_code === "cancelled" && (at === undefined || row.definition === undefined);
  const kind = isFirst && !isReopened && !isFoundCancelled ? "start" : "recover";
  // A later owner that never said that it goes on found the cancellation when it began.
  const place = at === undefined || isFoundCancelled || (kind === "recover" && !isReopened) ? {} : { at };
  const cancel = "entryId" in called ? { ...called, ...place } : undefined;
  const accepted = first.mailbox_effects.filter(({ into_run }) => into_run === undefined);
  const woken = cancel !== undefined && first === last ? accepted.slice(0, -1) : accepted;
  const entryId = woken[0]?.entry_id;
  return {
    epoch,
    kind,
    ...(entryId !== undefined && { entryId }),
    changesets,
    ...(cancel !== undefined && { cancel }),
    isPoison: rowOf(run, last)?.termination_code === "error:poison",
  };
}

function cancelOf(last: CommittedChangeset, changesets: readonly CommittedChangeset[]): RecordedActivation["cancel"] {
  const position = changesets
    .flatMap(({ recordings = [] }) => recordings)
    .find(({ place, name }) => place === NOTE.signal && name === "aborted")?.value;
  const finish = last.events.find(isFinish);
  const termination = finish?.data.termination;
  if (termination?.type !== "cancelled" && position === undefined) return undefined;
  const entryId = last.mailbox_effects.at(-1)?.entry_id ?? "";
  const detail = termination?.type === "cancelled" ? termination.detail : undefined;
  const reason = detail ?? DEFAULT_CANCEL_REASON;
  return { entryId, reason, ...(position !== undefined && { at: readPosition(position) }) };
}

function isFinish(event: AgentEvent): event is Extract<AgentEvent, { type: "run_finish" }> {
  return event.type === "run_finish";
}

function readPosition(value: Json): WorkPlace {
  const [ticks, shown, unseen] = Array.isArray(value) ? value : [];
  const place = { ticks: typeof ticks === "number" ? ticks : 0, shown: typeof shown === "number" ? shown : 0 };
  return typeof unseen === "number" ? { ...place, unseen } : place;
}

/** The row of a run after a changeset. */
export function rowOf({ run_id }: RunRecord, { runs }: CommittedChangeset): RunRecord | undefined {
  return runs.find((row) => row.run_id === run_id);
}
