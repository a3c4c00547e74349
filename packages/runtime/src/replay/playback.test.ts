import { buildChangeset, buildRun } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import type { WorkPlace } from "./activations.ts";
import { Playback } from "./playback.ts";

function cancelledAt(at: WorkPlace): Playback {
  const run = buildRun({ run_id: "r" });
  const changesets = [{ ...buildChangeset({ run_id: "r", runs: [run] }), version: 1 }];
  const cancel = { entryId: "e", reason: "enough", at };
  const activation = { epoch: 1, kind: "start", changesets, cancel, isPoison: false } as const;
  return new Playback(activation, { run, decisions: [], steering: [] });
}

describe("a cancellation in a replay", () => {
  it("comes after what the run passed before it, also what nobody sees", () => {
    const playback = cancelledAt({ ticks: 1, shown: 0, unseen: 2 });
    for (const pass of ["tick", "noteMark", "noteHeld"] as const) {
      playback[pass]();
      expect(playback.controller.signal.aborted, pass).toBe(false);
    }
    playback.noteMark();
    expect(playback.controller.signal.aborted).toBe(true);
  });

  it("of a recording that does not count that comes before the next thing, whatever it is", () => {
    const playback = cancelledAt({ ticks: 1, shown: 0 });
    playback.tick();
    playback.noteMark();
    expect(playback.controller.signal.aborted).toBe(true);
  });
});
