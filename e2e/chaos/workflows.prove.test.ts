import { describe, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import type { RoundResult } from "./round/run-round.ts";
import { expectSound, playRound } from "./testing/play-round.ts";

/** A kill takes about a second, on a busy machine several. */
const TIMEOUT_MS = 300_000;

/** Rounds in which no node ended, or nobody asked a model, would show nothing. */
function expectFlows({ tally, history }: RoundResult): void {
  expect(tally.scheduled).toBeGreaterThan(1);
  expect(tally.nodes).toBeGreaterThan(50);
  expect(history.arrivals.length).toBeGreaterThan(20);
}

describe("workflows in processes killed at random moments", () => {
  it("violate nothing on SQLite", { timeout: TIMEOUT_MS }, async () => {
    const round = await playRound({ store: "sqlite", workflows: true, threads: 5, faults: { kill: 5 } });
    expectSound(round, { kill: 5 });
    expectFlows(round);
  });
});

describeWithService("postgres", "workflows in three processes on a real Postgres", () => {
  it("violate nothing", { timeout: TIMEOUT_MS }, async () => {
    const round = await playRound({ store: "postgres", workers: 3, workflows: true, threads: 5, faults: { kill: 5 } });
    expectSound(round, { kill: 5 });
    expectFlows(round);
  });
});
