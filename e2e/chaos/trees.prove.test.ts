import { describe, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import type { RoundResult } from "./round/run-round.ts";
import { expectSound, playRound } from "./testing/play-round.ts";

/** A kill takes about a second, on a busy machine several. */
const TIMEOUT_MS = 300_000;

/** Rounds in which nobody delegated, or cancelled anything, would show nothing. */
function expectTrees({ tally }: RoundResult): void {
  expect(tally.runsBelow).toBeGreaterThan(20);
  expect(tally.runs.cancelled).toBeGreaterThan(0);
}

describe("agents that have other agents work for them, in processes killed at random moments", () => {
  it("violate nothing on SQLite", { timeout: TIMEOUT_MS }, async () => {
    const round = await playRound({ store: "sqlite", trees: true, faults: { kill: 15 } });
    expectSound(round, { kill: 15 });
    expectTrees(round);
  });
});

describeWithService(
  "postgres",
  "agents that have other agents work for them, in three processes on a real Postgres",
  () => {
    it("violate nothing", { timeout: TIMEOUT_MS }, async () => {
      const round = await playRound({ store: "postgres", workers: 3, trees: true, faults: { kill: 15 } });
      expectSound(round, { kill: 15 });
      expectTrees(round);
    });
  },
);
