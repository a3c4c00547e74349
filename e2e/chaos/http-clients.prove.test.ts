import { describe, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { expectSound, playRound } from "./testing/play-round.ts";

/** A fault takes about a second, on a busy machine several. */
const TIMEOUT_MS = 300_000;

describe("issue 14.28: clients over HTTP and SSE, resumed by Last-Event-ID at other owners", () => {
  it("lose nothing and read every run to its end while its process is killed", { timeout: TIMEOUT_MS }, async () => {
    const faults = { kill: 6, retire: 2 };
    const options = { clients: "http", faults } as const;
    expectSound(await playRound({ store: "sqlite", ...options }), faults);
  });
});

describeWithService(
  "postgres",
  "issue 14.27: processes whose clocks are wrong by 10 ms to 60 s, on a real Postgres",
  () => {
    it("let every question run out in time and lose nothing", { timeout: TIMEOUT_MS }, async () => {
      const faults = { kill: 3, hold: 1 };
      const round = await playRound({ store: "postgres", workers: 2, skewMs: 60_000, faults });
      expectSound(round, faults);
      expect(round.tally.expired).toBeGreaterThan(0);
    });
  },
);

describeWithService("postgres", "issue 14.28: clients over HTTP and SSE, on a real Postgres", () => {
  it("lose nothing when processes are killed or held, and Postgres restarts", { timeout: TIMEOUT_MS }, async () => {
    const faults = { kill: 4, hold: 2, "database restart": 1, "database outage": 1 };
    const options = { clients: "http", workers: 2, faults } as const;
    expectSound(await playRound({ store: "postgres", ...options }), faults);
  });
});
