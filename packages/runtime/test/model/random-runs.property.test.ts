import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkHistories, play } from "./check-histories.ts";
import type { Driver } from "./drive.ts";
import { scenarios } from "./scenario.ts";

describe("random runs over crashing processes", () => {
  it("keep every promise, whatever happens when", { timeout: 600_000 }, async () => {
    await checkHistories(100);
  });

  it("are the same when played again", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        expect(await trace(await play(scenario))).toEqual(await trace(await play(scenario)));
      }),
      { numRuns: 8 },
    );
  });
});

/** What a history left behind. */
async function trace({ world, requests }: Driver): Promise<unknown> {
  const journals = requests.map(({ run_id }) => world.tenant.readEvents(run_id ?? "", 0));
  return { journals: await Promise.all(journals), executions: world.executions, time: world.env.clock.now() };
}
