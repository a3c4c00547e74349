import { it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { expectSound, playRound } from "./testing/play-round.ts";

const TIMEOUT_MS = 240_000;

describeWithService("postgres", "a Postgres that comes and goes", () => {
  it("loses nothing and repeats nothing when the way to it is cut at a commit", { timeout: TIMEOUT_MS }, async () => {
    const faults = { "cut before commit": 6, "cut after commit": 6 };
    expectSound(await playRound({ store: "postgres", workers: 2, faults }), faults);
  });

  it("is continued when it restarts, or falls silent", { timeout: TIMEOUT_MS }, async () => {
    const faults = { "database restart": 2, silence: 1 };
    expectSound(await playRound({ store: "postgres", workers: 2, faults }), faults);
  });
});

it("continues after its disk was full", { timeout: TIMEOUT_MS }, async (context) => {
  if (process.getuid?.() !== 0) {
    const reason = "a full disk cannot be tried: mounting a small file system needs root";
    if (process.env.CI === "true") throw new Error(reason);
    return context.skip(reason);
  }
  const faults = { "disk full": 3 };
  expectSound(await playRound({ store: "sqlite", hasSmallDisk: true, faults }), faults);
});
