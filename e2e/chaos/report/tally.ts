import { tellCalls } from "../checker/call-story.ts";
import type { History, Violation } from "../checker/history.ts";
import { requestsOf } from "../checker/requests.ts";
import { SCHEDULED_AGENT } from "../workload/schedule-document.ts";
import { measurePauses, measureReturns } from "./measure-pauses.ts";

/** What happened in one or more rounds, in numbers. */
export interface Tally {
  readonly rounds: number;
  /** By what was done. */
  readonly faults: Readonly<Record<string, number>>;
  /** By how they ended. */
  readonly runs: Readonly<Record<string, number>>;
  readonly threads: number;
  /** Runs that other runs started. */
  readonly runsBelow: number;
  readonly versions: number;
  readonly decisions: number;
  /** Decisions by how they were received. */
  readonly answers: Readonly<Record<string, number>>;
  readonly unknownOutcomes: number;
  /** Questions that nobody answered in time. */
  readonly expired: number;
  /** Runs that were replayed and compared. */
  readonly verified: number;
  readonly events: number;
  readonly streams: number;
  readonly withdrawals: number;
  readonly effects: number;
  readonly modelCalls: number;
  /** Runs that a schedule started. */
  readonly scheduled: number;
  /** Nodes of workflows that ended. */
  readonly nodes: number;
  /** How often an owner that lived was replaced. */
  readonly losses: number;
  /** Later activations of runs. */
  readonly activations: number;
  /** How long each run that lost its owner stood still, as its client saw it. */
  readonly pausesMs: readonly number[];
  /** How long it took until something happened again once a store was back. */
  readonly returnsMs: readonly number[];
  readonly violations: readonly Violation[];
}

export function tallyRound(history: History, violations: readonly Violation[]): Tally {
  const { threads, witness } = history;
  const runs = threads.flatMap((thread) => thread.runs);
  const events = witness.filter((record) => record.type === "event").map(({ event }) => event);
  const faults = witness.filter((record) => record.type === "fault").map(({ fault }) => fault);
  const stored = runs.flatMap(({ segments }) => segments.flatMap((segment) => segment.events));
  return {
    rounds: 1,
    faults: countBy(faults),
    runs: countBy(runs.map(({ run }) => run.termination_code ?? run.status)),
    threads: threads.length,
    runsBelow: runs.filter(({ run }) => run.root_run_id !== undefined).length,
    versions: threads.reduce((sum, { changesets }) => sum + changesets.length, 0),
    decisions: runs.reduce((sum, { decisions }) => sum + decisions.length, 0),
    answers: countBy(
      requestsOf(witness, "decide").map(
        ({ answer, refusal }) => refusal?.code ?? (answer === undefined ? "lost" : "accepted"),
      ),
    ),
    unknownOutcomes: stored.filter(
      (event) =>
        event.type === "tool_call_done" && event.data.suspended?.ticket.suspension.action === "unknown_outcome",
    ).length,
    expired: tellCalls(history).filter(
      ({ kind, questions, done }) => kind.expiresInMs !== undefined && done !== undefined && !questions.at(-1)?.used,
    ).length,
    verified: history.verifications.length,
    events: events.length,
    streams: witness.filter(({ type }) => type === "stream_opened").length,
    withdrawals: events.filter(({ type }) => type === "stream_reset").length,
    effects: history.effects.length,
    modelCalls: history.models.length,
    scheduled: runs.filter(({ run }) => run.agent_id === SCHEDULED_AGENT).length,
    nodes: stored.filter(({ type }) => type === "node_end").length,
    losses: history.losses.length,
    activations: stored.filter(({ type, seq }) => type === "run_start" && seq !== 1).length,
    pausesMs: measurePauses(witness),
    returnsMs: measureReturns(witness),
    violations,
  };
}

/** Several rounds as one. */
export function addTallies(left: Tally, right: Tally): Tally {
  return {
    rounds: left.rounds + right.rounds,
    faults: addCounts(left.faults, right.faults),
    runs: addCounts(left.runs, right.runs),
    threads: left.threads + right.threads,
    runsBelow: left.runsBelow + right.runsBelow,
    versions: left.versions + right.versions,
    decisions: left.decisions + right.decisions,
    answers: addCounts(left.answers, right.answers),
    unknownOutcomes: left.unknownOutcomes + right.unknownOutcomes,
    expired: left.expired + right.expired,
    verified: left.verified + right.verified,
    events: left.events + right.events,
    streams: left.streams + right.streams,
    withdrawals: left.withdrawals + right.withdrawals,
    effects: left.effects + right.effects,
    modelCalls: left.modelCalls + right.modelCalls,
    scheduled: left.scheduled + right.scheduled,
    nodes: left.nodes + right.nodes,
    losses: left.losses + right.losses,
    activations: left.activations + right.activations,
    pausesMs: [...left.pausesMs, ...right.pausesMs],
    returnsMs: [...left.returnsMs, ...right.returnsMs],
    violations: [...left.violations, ...right.violations],
  };
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function addCounts(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries([...names].map((name) => [name, (left[name] ?? 0) + (right[name] ?? 0)]));
}
