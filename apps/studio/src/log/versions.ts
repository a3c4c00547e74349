import type { Version } from "../api/types.ts";
import type { RunView } from "./block.ts";

/** What a version of a thread stands for. */
export type VersionKind = "said" | "model" | "tools" | "wait" | "end" | "outside";

/** A version as the time bar shows it. */
export interface Moment {
  readonly version: number;
  readonly runId: string | null;
  readonly kind: VersionKind;
  readonly label: string;
  readonly time: number | undefined;
  /** Since the version before it. */
  readonly tookMs: number;
  /** Of the run, up to here. */
  readonly costMicrocents: number;
  readonly tokens: number;
  /** Steps of the run that have begun by now. */
  readonly steps: number;
}

const LABELS: Readonly<Record<string, readonly [VersionKind, string]>> = {
  user_message: ["said", "Message received"],
  assistant_turn: ["model", "Model answered"],
  tool_intent: ["tools", "Tools started"],
  tool_results: ["tools", "Tools finished"],
  run_finished: ["end", "Run ended"],
  external_patch: ["outside", "State changed from outside"],
  rollback: ["outside", "Thread rewound"],
  fork: ["outside", "Forked here"],
};

/** The versions of a thread, in order, in words. */
export function describeVersions(versions: readonly Version[]): readonly Moment[] {
  let before: number | undefined;
  return versions.map(({ version, run_id, reasons, run, timestamp_ms }) => {
    const isWait = run?.status === "waiting";
    const [kind, label] = isWait
      ? (["wait", "Waiting"] as const)
      : (reasons.map((reason) => LABELS[reason]).findLast((each) => each !== undefined) ??
        (["outside", "Changed"] as const));
    const tookMs = timestamp_ms === undefined || before === undefined ? 0 : Math.max(0, timestamp_ms - before);
    before = timestamp_ms ?? before;
    return {
      version,
      runId: run_id,
      kind,
      label,
      time: timestamp_ms,
      tookMs,
      costMicrocents: run?.cost_microcents ?? 0,
      tokens: (run?.input_tokens ?? 0) + (run?.output_tokens ?? 0),
      steps: run?.steps ?? 0,
    };
  });
}

/** The moment of a version; the last one before it when there is none. */
export function momentAt(moments: readonly Moment[], version: number): Moment | undefined {
  return moments.findLast((moment) => moment.version <= version);
}

/** The step that a run takes up again from a moment: the one that begins next, or its last one. */
export function nextStep(moment: Moment, steps: number): number {
  return Math.max(1, Math.min(moment.steps + 1, steps));
}

/** Says of what was shown live with which version it was committed. Stored messages know it already. */
export function locateBlocks(views: readonly RunView[], versions: readonly Version[]): readonly RunView[] {
  const commits = new Map<string, { readonly version: number; readonly seq: number }[]>();
  for (const { run_id, run, version } of versions) {
    if (run_id === null || run === undefined) continue;
    commits.set(run_id, [...(commits.get(run_id) ?? []), { version, seq: run.last_seq }]);
  }
  return views.map((view) => {
    const own = commits.get(view.runId);
    if (own === undefined || view.blocks.every((block) => block.version !== undefined)) return view;
    const blocks = view.blocks.map((block) => {
      if (block.version !== undefined) return block;
      const commit = block.seq === undefined ? own[0] : own.find(({ seq }) => seq >= (block.seq ?? 0));
      return commit === undefined ? block : { ...block, version: commit.version };
    });
    return { ...view, blocks };
  });
}

/** The last event of a run that is committed with a version or before it. */
export function seqAt(versions: readonly Version[], runId: string, at: number): number {
  const known = versions.findLast(({ version, run_id, run }) => version <= at && run_id === runId && run !== undefined);
  return known?.run?.last_seq ?? 0;
}
