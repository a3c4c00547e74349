import { expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { expectSound, playRound } from "./testing/play-round.ts";

/** A fault takes about a second, on a busy machine several. */
const TIMEOUT_MS = 400_000;

describeWithService("postgres", "issue 14.1 and 14.29: rolling deploys on a real Postgres", () => {
  it("change tools, plugins, instructions and agents in three generations without a run being failed, an effect repeated or a question asked twice", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const faults = { deploy: 3, kill: 2 };
    const round = await playRound({ store: "postgres", workers: 2, faults });
    expectSound(round, faults);
    // By processes of the last generation, which has other tools, plugins and instructions.
    expect(round.tally.verified).toBeGreaterThan(5);
  });
});

describeWithService("postgres", "issue 14.35: a frozen process on a real Postgres", () => {
  it("is replaced under its own name, and changes nothing when it wakes up", { timeout: TIMEOUT_MS }, async () => {
    const faults = { freeze: 3 };
    expectSound(await playRound({ store: "postgres", workers: 2, faults }), faults);
  });
});
