import { it } from "vitest";
import { expectSound, playRound } from "./testing/play-round.ts";

// A glance at the whole rig; more kills and the other stores are in random-kills.prove.test.ts.
it("processes killed at random moments violate nothing", { timeout: 300_000 }, async () => {
  expectSound(await playRound({ store: "sqlite", faults: { kill: 5 } }), { kill: 5 });
});
