import { describe, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import type { Plant } from "./plants/plant.ts";
import { PLANTS } from "./plants/table.ts";
import { playRound } from "./testing/play-round.ts";

const TIMEOUT_MS = 400_000;
/** A bug shows within a few faults, or in one of the next rounds: four in five show in the first one, fewer on a busy machine. */
const ROUNDS = 6;
/** Some bugs keep runs from ever coming to rest: then there is nothing to wait for. */
const REST_WITHIN_MS = 6_000;

/** The invariants that a round with a bug breaks. */
async function playPlanted(
  name: string,
  { faults, workers = 1, breaks, clients = "socket", trees = false, workflows = false, skewMs = 0 }: Plant,
): Promise<ReadonlySet<string>> {
  const store = workers === 1 ? "sqlite" : "postgres";
  const broken = new Set<string>();
  for (let round = 1; round <= ROUNDS && !broken.has(breaks); round++) {
    const seed = `${name}/${round}`;
    const planted = { plant: name, clients, trees, workflows, skewMs, restWithinMs: REST_WITHIN_MS };
    const options = { store, seed, faults, workers, ...planted } as const;
    for (const { invariant } of (await playRound(options)).violations) broken.add(invariant);
  }
  return broken;
}

const entries = Object.entries(PLANTS);
const alone = entries.filter(([, { workers = 1 }]) => workers === 1);
const replaced = entries.filter(([, { workers = 1 }]) => workers > 1);

describe("bugs planted into one process", () => {
  it.each(alone)("%s is found", { timeout: TIMEOUT_MS }, async (name, plant) => {
    expect(await playPlanted(name, plant)).toContain(plant.breaks);
  });
});

describeWithService("postgres", "bugs planted into two processes that follow each other", () => {
  it.each(replaced)("%s is found", { timeout: TIMEOUT_MS }, async (name, plant) => {
    expect(await playPlanted(name, plant)).toContain(plant.breaks);
  });
});
