import { describe, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { expectSound, playRound } from "./testing/play-round.ts";

/** A fault takes about a second, on a busy machine several. */
const TIMEOUT_MS = 300_000;
/** A key whose server died is kept for a minute before it counts as unused. */
const REST_WITHIN_MS = 120_000;

describe("issue 14.28: clients over HTTP and SSE, resumed by Last-Event-ID at other owners", () => {
  it("lose nothing and read every run to its end while its process is killed", { timeout: TIMEOUT_MS }, async () => {
    const faults = { kill: 6, retire: 2 };
    const options = { clients: "http", restWithinMs: REST_WITHIN_MS, faults } as const;
    expectSound(await playRound({ store: "sqlite", ...options }), faults);
  });
});

describeWithService("postgres", "issue 14.28: clients over HTTP and SSE, on a real Postgres", () => {
  it("lose nothing when processes are killed or held, and Postgres restarts", { timeout: TIMEOUT_MS }, async () => {
    const faults = { kill: 4, hold: 2, "database restart": 1, "database outage": 1 };
    const options = { clients: "http", restWithinMs: REST_WITHIN_MS, workers: 2, faults } as const;
    expectSound(await playRound({ store: "postgres", ...options }), faults);
  });
});
