import type { FaultPlan } from "../nemesis/nemesis.ts";
import { addTallies, type Tally } from "../report/tally.ts";
import { type RoundResult, runRound } from "../round/run-round.ts";
import { createServer } from "../stores/create-server.ts";
import type { SessionOptions } from "./session-options.ts";

export interface SessionResult {
  readonly tally: Tally;
  readonly unvisited: readonly string[];
  /** Where rounds with violations lie; the others are removed. */
  readonly kept: readonly string[];
}

export interface SessionListener {
  /** Told what happens, for people who wait. */
  progress(line: string): void;
  /** Aborted when the session is no longer wanted. */
  readonly signal: AbortSignal;
}

/** Plays as many rounds as it takes. Whatever it starts is ended when it returns. */
export async function runSession(
  options: SessionOptions,
  { progress, signal }: SessionListener,
): Promise<SessionResult> {
  const server = await createServer(options.store, { hasSmallDisk: "disk full" in options.faults });
  const faults = Object.values(options.faults).reduce((sum, count) => sum + count, options.kills);
  const rounds = Math.max(Math.ceil(faults / options.killsPerRound), 1);
  let tally: Tally | undefined;
  let unvisited: readonly string[] = [];
  const kept: string[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const result: RoundResult = await runRound({
        ...options,
        server,
        signal,
        seed: `${options.seed}/${round}`,
        faults: faultsOf(options, round, rounds),
        visitsPoints: options.visitsPoints && round === 0,
        progress: (line) => progress(`round ${round + 1} of ${rounds}: ${line}`),
      });
      tally = tally === undefined ? result.tally : addTallies(tally, result.tally);
      if (round === 0) unvisited = result.unvisited;
      if (result.violations.length === 0) result.discard();
      else {
        result.keep();
        kept.push(result.folder);
      }
    }
  } finally {
    await server.close();
  }
  if (tally === undefined) throw new Error("A session has at least one round.");
  return { tally, unvisited, kept };
}

/** What falls to one round: as much as to any other, and one more for the first while there is a rest. */
function faultsOf({ kills, faults }: SessionOptions, round: number, rounds: number): FaultPlan {
  const share = (count: number): number => Math.floor(count / rounds) + (round < count % rounds ? 1 : 0);
  const all = { ...faults, kill: kills };
  return Object.fromEntries(Object.entries(all).map(([name, count]) => [name, share(count)]));
}
