import type { AgentEvent, Changeset, RunRecord } from "@reprise/contracts";
import type { Json, TrackedPatch } from "@reprise/state";
import { sameJson } from "./same-json.ts";

/** The parts of a commit, in the order in which they are compared. */
export type DivergentPart = "call" | "message" | "patch" | "event" | "run" | "commit";

/** Where two commits differ first. */
export interface Difference {
  readonly what: DivergentPart;
  readonly index: number;
  /** Null for what is not there. */
  readonly expected: Json;
  readonly actual: Json;
}

export interface ComparisonOptions {
  /** Definitions of today are the question of a replay that asks them: then their hash is no answer. */
  readonly ignoresDefinition: boolean;
}

type Same = (left: unknown, right: unknown) => boolean;

/** Finds where a replayed commit differs from the recorded one. Times are not compared, nor what the replay is made from. */
export function findDifference(
  expected: Changeset,
  actual: Changeset,
  { ignoresDefinition }: ComparisonOptions,
): Difference | undefined {
  const sameRow: Same = (left, right) => sameJson(left, right, ignoresDefinition ? "definition" : undefined);
  return (
    findFirst("call", expected.calls, actual.calls, sameJson) ??
    findFirst("message", expected.messages, actual.messages, sameJson) ??
    findFirst("patch", expected.patches, actual.patches, samePatch) ??
    findFirst("event", expected.events, actual.events, sameEvent) ??
    findFirst("run", expected.runs, actual.runs, sameRow) ??
    findFirst("commit", [restOf(expected)], [restOf(actual)], sameJson)
  );
}

function findFirst(
  what: DivergentPart,
  expected: readonly object[],
  actual: readonly object[],
  same: Same,
): Difference | undefined {
  const length = Math.max(expected.length, actual.length);
  for (let index = 0; index < length; index += 1) {
    if (index < expected.length && index < actual.length && same(expected[index], actual[index])) continue;
    return { what, index, expected: plain(expected[index]), actual: plain(actual[index]) };
  }
  return undefined;
}

/** What commits hold is JSON, which their interfaces hide; keys without a value go. */
function plain(value: object | undefined): Json {
  return value === undefined || value === null ? null : (JSON.parse(JSON.stringify(value)) as Json);
}

const TIME = "timestamp_ms";

const samePatch: Same = (left, right) => sameJson(left, right, TIME);

/** An event names the patch of its call with it, which has its own time. */
const sameEvent: Same = (left, right) => {
  const patches = [patchOf(left), patchOf(right)];
  if (patches.every((patch) => patch === undefined)) return sameJson(left, right, TIME);
  return samePatch(...(patches as [unknown, unknown])) && sameJson(withoutPatch(left), withoutPatch(right), TIME);
};

function patchOf(event: unknown): TrackedPatch | undefined {
  // Also of a foreign recording, whose events may be anything.
  const { type, data } = (event ?? {}) as Partial<AgentEvent>;
  return type === "tool_call_done" ? (data as { readonly patch?: TrackedPatch } | undefined)?.patch : undefined;
}

function withoutPatch(event: unknown): object {
  // Looked at above.
  const { data, ...rest } = event as AgentEvent;
  return { ...rest, data: { ...data, patch: undefined } };
}

function restOf({ changeset_id, thread_id, run_id, reasons, supersedes, actions, ...more }: Changeset): object {
  const { consumed_decisions, mailbox_effects, blob_refs, wakes = [] } = more;
  const rest = { changeset_id, thread_id, run_id, reasons, supersedes, actions };
  return { ...rest, consumed_decisions, mailbox_effects, blob_refs, wakes };
}

/** Everything that is compared of a commit, as one text to be hashed. */
export function textOfCommit(changeset: Changeset, { ignoresDefinition }: ComparisonOptions): string {
  const { calls, messages, patches, events, runs } = changeset;
  const rows = ignoresDefinition ? runs.map(({ definition: _, ...row }: RunRecord) => row) : runs;
  const shown = events.map((event) => timelessEvent(event, changeset));
  return JSON.stringify([calls, messages, patches.map(timeless), shown, rows, restOf(changeset)]);
}

function timeless(patch: TrackedPatch): object {
  return { ...patch, timestamp_ms: 0 };
}

/** By place and without what its commit says already: there are many of them, and most are a word each. */
function timelessEvent(event: AgentEvent, { run_id, thread_id }: Changeset): readonly unknown[] {
  const { type, seq, step_id = null, data } = event;
  const patch = patchOf(event);
  const said = patch === undefined ? data : { ...data, patch: timeless(patch) };
  const isOwn = event.run_id === run_id && event.thread_id === thread_id;
  return isOwn ? [type, seq, step_id, said] : [type, seq, step_id, said, event.run_id, event.thread_id];
}
