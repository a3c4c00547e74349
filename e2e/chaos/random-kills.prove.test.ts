import { describe, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { expectSound, playRound } from "./testing/play-round.ts";

/** A kill takes about a second, on a busy machine several. */
const TIMEOUT_MS = 300_000;

describe("processes killed at random moments", () => {
  it("violate nothing on SQLite", { timeout: TIMEOUT_MS }, async () => {
    expectSound(await playRound({ store: "sqlite", faults: { kill: 25 } }), { kill: 25 });
  });

  it("violate nothing on files", { timeout: TIMEOUT_MS }, async () => {
    expectSound(await playRound({ store: "file", faults: { kill: 5 } }), { kill: 5 });
  });
});

describeWithService("postgres", "processes killed at random moments, on a real Postgres", () => {
  it("violate nothing, three at a time, one of them held now and then", { timeout: TIMEOUT_MS }, async () => {
    const faults = { kill: 25, hold: 2 };
    expectSound(await playRound({ store: "postgres", workers: 3, faults }), faults);
  });

  describeWithService("nats", "with a real NATS in front of it", () => {
    it("violate nothing", { timeout: TIMEOUT_MS }, async () => {
      const faults = { kill: 5, "nats kill": 1 };
      expectSound(await playRound({ store: "nats-buffered", faults }), faults);
    });
  });
});
