import { expect, onTestFinished } from "vitest";
import { chooseSeed } from "../../../scripts/property-seed.mjs";
import type { Violation } from "../checker/history.ts";
import type { Tally } from "../report/tally.ts";
import { DEFAULT_ROUND, type RoundOptions } from "../round/round-options.ts";
import { type RoundResult, runRound } from "../round/run-round.ts";
import { createServer } from "../stores/create-server.ts";
import type { StoreName } from "../stores/store-address.ts";

/** A round of a test: what it does not say is as the rig has it. */
export type TestRound = Partial<Omit<RoundOptions, "server">> & {
  readonly store: StoreName;
  readonly hasSmallDisk?: boolean;
};

/** Plays a round on a store of its own and leaves nothing behind, however the test ends. The seed is that of the whole test run. */
export async function playRound({ store, hasSmallDisk = false, ...options }: TestRound): Promise<RoundResult> {
  const unwanted = new AbortController();
  const server = await createServer(store, { hasSmallDisk });
  const seed = `${chooseSeed(process.env)}/${store}`;
  const { signal } = unwanted;
  const round = runRound({ ...DEFAULT_ROUND, seed, faults: {}, ...options, server, signal });
  // Also when the time of the test is up and the round is no longer awaited.
  onTestFinished(async () => {
    unwanted.abort();
    await round.then(
      ({ discard }) => discard(),
      () => undefined,
    );
    await server.close();
  });
  return round;
}

/** The first violations as lines, which is what a failing test should show. */
export function describeViolations(violations: readonly Violation[]): readonly string[] {
  return violations.slice(0, 20).map(({ invariant, message, thread_id, run_id }) => {
    return [invariant, thread_id, run_id, message].filter((part) => part !== undefined).join(" · ");
  });
}

/** Expects a round in which nothing was violated, and in which enough happened to say so. */
export function expectSound({ violations, tally }: RoundResult, faults: Readonly<Record<string, number>>): void {
  expect(describeViolations(violations)).toEqual([]);
  expect(tally.faults).toMatchObject(faults);
  expect(endedRuns(tally)).toBeGreaterThan(5);
}

function endedRuns({ runs }: Tally): number {
  return Object.values(runs).reduce((sum, count) => sum + count, 0);
}
