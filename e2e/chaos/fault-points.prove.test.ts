import { expect, it } from "vitest";
import { expectSound, playRound } from "./testing/play-round.ts";
import { FAULT_POINTS } from "./worker/fault-point-names.ts";

it("violates nothing when a process dies at every fault point", { timeout: 400_000 }, async () => {
  const result = await playRound({ store: "sqlite", clients: "socket", visitsPoints: true });
  expect(result.unvisited).toEqual([]);
  expectSound(result, Object.fromEntries(FAULT_POINTS.map((point) => [`die at ${point}`, 1])));
});
