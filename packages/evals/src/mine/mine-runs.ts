import { type Env, type Plugin, RepriseError, type RunRecord, toRepriseError } from "@reprise/contracts";
import { createRuntime, type Definitions, type TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { createMemoryStoreWithBlobs } from "@reprise/stores/memory";
import { type ObservedCall, type ObservedRun, observeRecording } from "../check/observe-run.ts";
import { playCase } from "../play/play-case.ts";
import type { PlayCounts } from "../play/played-world.ts";
import { type Candidate, withCandidate } from "./candidate.ts";

/** What becomes of a run or one of its calls under other rules. */
export type DifferenceKind = "asked" | "not_asked" | "denied" | "not_denied" | "stopped";

export interface MinedDifference {
  readonly kind: DifferenceKind;
  readonly tool?: string;
  readonly arguments?: Json;
  /** How the run ended, and how it would end. */
  readonly before?: string;
  readonly after?: string;
}

export interface MinedRun {
  readonly run_id: string;
  readonly thread_id: string;
  readonly agent_id: string;
  readonly differences: readonly MinedDifference[];
}

/** What candidate rules would have changed about stored runs. */
export interface Mining {
  readonly runs: number;
  readonly differing: readonly MinedRun[];
  /** Runs that could not be played, and why. */
  readonly skipped: readonly { readonly run_id: string; readonly code: string; readonly message: string }[];
  readonly totals: Readonly<Record<DifferenceKind, number>>;
  /** No model and no tool is ever asked; counted, so that it can be checked. */
  readonly counts: PlayCounts;
}

export interface MineOptions {
  /** Whose runs. */
  readonly runtime: Pick<TenantRuntime, "runs" | "exportRun">;
  readonly definitions: Definitions;
  readonly candidate: Candidate;
  /** For agents without the plugin `permission`, where the candidate has rules for it. */
  readonly permission?: Plugin;
  readonly env: Env;
  /** Only runs that began at this time or later, in milliseconds since 1970. */
  readonly since?: number;
  readonly agent?: string;
  readonly onRun?: (runs: number) => void;
}

/**
 * Plays every stored run under candidate rules, with its recorded answers, and lists what would differ. A call that would be asked about is
 * taken to be approved, so that what comes after it is seen too.
 */
export async function mineRuns(options: MineOptions): Promise<Mining> {
  const definitions = withCandidate(options.definitions, options.candidate, options.permission);
  await assertRunnable(definitions, options.env);
  const differing: MinedRun[] = [];
  const skipped: { run_id: string; code: string; message: string }[] = [];
  const counts = { model_calls: 0, tool_calls: 0, recorded_answers: 0, recorded_results: 0 };
  let runs = 0;
  for await (const run of doneRuns(options)) {
    runs += 1;
    options.onRun?.(runs);
    try {
      const recording = await options.runtime.exportRun(run.run_id);
      const source = { run_id: run.run_id, digest: recording.digest, steps: run.steps };
      const playable = { id: run.run_id, source, recording };
      const played = await playCase(playable, { mode: "rescript", definitions, env: options.env });
      for (const key of Object.keys(counts) as (keyof PlayCounts)[]) counts[key] += played.counts[key];
      const differences = compare(observeRecording(recording), played.run);
      const { run_id, thread_id, agent_id } = run;
      if (differences.length > 0) differing.push({ run_id, thread_id, agent_id, differences });
    } catch (error) {
      const { code, message } = toRepriseError(error);
      skipped.push({ run_id: run.run_id, code, message });
    }
  }
  const all = differing.flatMap(({ differences }) => differences);
  const count = (kind: DifferenceKind): number => all.filter((each) => each.kind === kind).length;
  const totals = {
    asked: count("asked"),
    not_asked: count("not_asked"),
    denied: count("denied"),
    not_denied: count("not_denied"),
    stopped: count("stopped"),
  };
  return { runs, differing, skipped, totals, counts };
}

/** Mistakes in the candidate are said once, before any run is played. */
async function assertRunnable(definitions: Definitions, env: Env): Promise<void> {
  const store = createMemoryStoreWithBlobs(env);
  const runtime = await createRuntime({ ...definitions, store, blobs: store.blobs, env, limits: { maxActiveRuns: 0 } });
  await runtime.close();
  await store.close();
  if ((definitions.agents ?? []).length === 0)
    throw new RepriseError("AGENT_NOT_FOUND", "There are no agents to play runs to.");
}

const RUNS_AT_ONCE = 100;

async function* doneRuns({ runtime, since, agent }: MineOptions): AsyncGenerator<RunRecord, void> {
  // Listed before any is played: a run that ends meanwhile would move the others.
  const found: RunRecord[] = [];
  for (let offset = 0; ; ) {
    const page = await runtime.runs({
      status: "done",
      offset,
      limit: RUNS_AT_ONCE,
      ...(since !== undefined && { created_at_from: since }),
      ...(agent !== undefined && { agent_id: agent }),
    });
    found.push(...page.items);
    offset += page.items.length;
    if (page.items.length === 0 || !page.has_more) break;
  }
  yield* found;
}

/** The ids of steps and calls are the recorded ones, so that calls can be found again. */
function compare(before: ObservedRun, after: ObservedRun): readonly MinedDifference[] {
  const differences: MinedDifference[] = [];
  const asked = (run: ObservedRun): ReadonlySet<string> => new Set(run.approvals.map(({ call_id }) => call_id));
  const [askedBefore, askedAfter] = [asked(before), asked(after)];
  for (const { call_id, tool, arguments: given } of after.approvals)
    if (!askedBefore.has(call_id)) differences.push({ kind: "asked", tool, arguments: given });
  const calls = new Map(after.calls.map((call) => [call.id, call]));
  for (const call of before.calls) {
    const now = calls.get(call.id);
    if (now === undefined) continue;
    const about = { tool: call.tool, arguments: call.arguments };
    if (askedBefore.has(call.id) && !askedAfter.has(call.id)) differences.push({ kind: "not_asked", ...about });
    if (isDenied(now) && !isDenied(call)) differences.push({ kind: "denied", ...about });
    if (isDenied(call) && !isDenied(now)) differences.push({ kind: "not_denied", ...about });
  }
  if (before.ended !== after.ended) differences.push({ kind: "stopped", before: before.ended, after: after.ended });
  return differences;
}

const DENIALS: readonly (string | undefined)[] = ["denied", "blocked", "tool_not_found"];

function isDenied({ error }: ObservedCall): boolean {
  return DENIALS.includes(error);
}
