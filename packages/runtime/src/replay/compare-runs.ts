import type { Message, RunRecord, StoredChangeset, TenantStore } from "@reprise/contracts";
import { diff, type Json, type Op } from "@reprise/state";
import { loadState } from "../thread/loaded-thread.ts";
import { walkChangesets } from "../thread/read-changesets.ts";

/** What a run did from some version of its thread on. */
export interface RunPart {
  readonly run: RunRecord;
  readonly messages: readonly Message[];
  readonly steps: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
}

/** Two ways on from the same place. */
export interface RunComparison {
  readonly original: RunPart;
  readonly rerun: RunPart;
  /** The operations that turn the application's state after the original into that after the rerun. */
  readonly state: readonly Op[];
}

/** Compares what a run did after a version with what another did on a fork made there. */
export async function compareRuns(
  store: TenantStore,
  { original, at, rerun }: { readonly original: RunRecord; readonly at: number; readonly rerun: RunRecord },
): Promise<RunComparison> {
  const first = await partOf(store, original, at);
  const second = await partOf(store, rerun, rerun.base_version);
  const before = await loadState(store, original.thread_id, first.version);
  const after = await loadState(store, rerun.thread_id, second.version);
  return { original: first.part, rerun: second.part, state: diff(applicationState(before), applicationState(after)) };
}

async function partOf(
  store: TenantStore,
  run: RunRecord,
  after: number,
): Promise<{ readonly part: RunPart; readonly version: number }> {
  const changesets: StoredChangeset[] = [];
  let began: RunRecord | undefined;
  for await (const changeset of walkChangesets(store, run.thread_id, Math.min(after, run.base_version))) {
    const row = changeset.runs.find(({ run_id }) => run_id === run.run_id);
    if (changeset.version <= after) began = row ?? began;
    else changesets.push(changeset);
    if (row?.status === "done") break;
  }
  const own = ({ metadata }: Message): boolean => metadata?.run_id === run.run_id;
  const { steps = 0, input_tokens = 0, output_tokens = 0, cost_microcents = 0 } = began ?? {};
  const part = {
    run,
    messages: changesets.flatMap(({ messages }) => messages).filter(own),
    steps: run.steps - steps,
    input_tokens: run.input_tokens - input_tokens,
    output_tokens: run.output_tokens - output_tokens,
    cost_microcents: (run.cost_microcents ?? 0) - cost_microcents,
  };
  return { part, version: changesets.at(-1)?.version ?? after };
}

/** The state without the runtime's own part, which is different in every run. */
function applicationState(state: Json): Json {
  if (typeof state !== "object" || state === null || Array.isArray(state)) return state;
  return Object.fromEntries(Object.entries(state).filter(([key]) => !key.startsWith("__")));
}
