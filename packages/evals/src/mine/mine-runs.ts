import { type Env, type Plugin, RepriseError, type RunRecord, toRepriseError } from "@reprise/contracts";
import { createRuntime, type Definitions, type TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { createMemoryStoreWithBlobs } from "@reprise/stores/memory";
import { type ObservedCall, type ObservedRun, observeRecording } from "../check/observe-run.ts";
import { type PlayedRun, playCase } from "../play/play-case.ts";
import type { PlayCounts, PlayNote } from "../play/played-world.ts";
import { withSilentProviders } from "../play/silent-provider.ts";
import { type Candidate, withCandidate, withoutTime } from "./candidate.ts";

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

/** A run that today's agents play otherwise than it was recorded, without any candidate. */
export interface DriftedRun extends MinedRun {
  readonly notes: readonly PlayNote[];
}

/** What candidate rules would change about stored runs. */
export interface Mining {
  /** All that were looked at, played or not. */
  readonly runs: number;
  /** Runs that differ under the candidate from what today's agents would do without it. */
  readonly differing: readonly MinedRun[];
  /** What the candidate has no part in: the agents have changed since. */
  readonly drifted: readonly DriftedRun[];
  /** Runs that could not be played, and why: those that are not done among them. */
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
 * Plays every stored run with its recorded answers, to today's agents and to the same agents under candidate rules, and lists what would
 * differ. A call that would be asked about is taken to be approved, so that what comes after it is seen too.
 */
export async function mineRuns(options: MineOptions): Promise<Mining> {
  const { definitions, candidate, permission, env, runtime } = options;
  await assertRunnable(withCandidate(definitions, candidate, permission), env);
  const { played: ruled, limitMs } = withoutTime(candidate);
  const changed = withCandidate(definitions, ruled, permission);
  const differing: MinedRun[] = [];
  const drifted: DriftedRun[] = [];
  const skipped: { run_id: string; code: string; message: string }[] = [];
  const counts = { model_calls: 0, tool_calls: 0, recorded_answers: 0, recorded_results: 0 };
  let runs = 0;
  for (const { run_id, thread_id, agent_id, steps } of await listRuns(options)) {
    runs += 1;
    options.onRun?.(runs);
    try {
      const recording = await runtime.exportRun(run_id);
      const playable = { id: run_id, source: { run_id, digest: recording.digest, steps }, recording };
      const play = async (agents: Definitions): Promise<PlayedRun> => {
        const played = await playCase(playable, { mode: "rescript", definitions: agents, env });
        for (const key of Object.keys(counts) as (keyof PlayCounts)[]) counts[key] += played.counts[key];
        return played;
      };
      const recorded = observeRecording(recording);
      const today = await play(definitions);
      const differences = compare(today.run, stopInTime((await play(changed)).run, recorded, limitMs));
      if (differences.length > 0) differing.push({ run_id, thread_id, agent_id, differences });
      const drift = compare(recorded, today.run);
      const { notes } = today;
      if (drift.length + notes.length > 0) drifted.push({ run_id, thread_id, agent_id, differences: drift, notes });
    } catch (error) {
      const { code, message } = toRepriseError(error);
      skipped.push({ run_id, code, message });
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
  return { runs, differing, drifted, skipped, totals, counts };
}

/** Mistakes in the candidate are said once, before any run is played. */
async function assertRunnable(definitions: Definitions, env: Env): Promise<void> {
  const store = createMemoryStoreWithBlobs(env);
  const silent = withSilentProviders(definitions);
  const runtime = await createRuntime({ ...silent, store, blobs: store.blobs, env, limits: { maxActiveRuns: 0 } });
  await runtime.close();
  await store.close();
  if ((definitions.agents ?? []).length === 0)
    throw new RepriseError("AGENT_NOT_FOUND", "There are no agents to play runs to.");
}

const RUNS_AT_ONCE = 100;

/** Listed before any is played: a run that begins or ends meanwhile would move the others. */
async function listRuns({ runtime, since, agent }: MineOptions): Promise<Iterable<RunRecord>> {
  const found = new Map<string, RunRecord>();
  for (let offset = 0; ; ) {
    const page = await runtime.runs({
      offset,
      limit: RUNS_AT_ONCE,
      ...(since !== undefined && { createdAtFrom: since }),
      ...(agent !== undefined && { agentId: agent }),
    });
    for (const run of page.items) found.set(run.run_id, run);
    offset += page.items.length;
    if (page.items.length === 0 || !page.has_more) return found.values();
  }
}

/** Answers from a recording take no time, so a limit of time is held against the time that the run really took. */
function stopInTime(played: ObservedRun, recorded: ObservedRun, limitMs: number | undefined): ObservedRun {
  return limitMs === undefined || recorded.latency_ms <= limitMs ? played : { ...played, ended: "cancelled" };
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
