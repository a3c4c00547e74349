import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drain } from "./drain.ts";
import { Driver } from "./drive.ts";
import { findProblems } from "./invariants.ts";
import { describeScenario, type Scenario, scenarios } from "./scenario.ts";

const RUNS = process.env.REPRISE_FUZZ ? 3_000 : 300;

async function play(scenario: Scenario): Promise<Driver> {
  const driver = new Driver(scenario);
  await driver.play();
  await drain(driver);
  return driver;
}

describe("random runs over crashing processes", () => {
  it("keep every promise, whatever happens when", { timeout: 1_800_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const problems = await findProblems(await play(scenario));
        if (problems.length > 0) throw new Error(`${problems.slice(0, 5).join("\n")}\n${describeScenario(scenario)}`);
      }),
      { numRuns: RUNS, reporter: reportShort },
    );
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

/** The seed and the smallest history are what one needs; the generated value is said better by the error itself. */
function reportShort(details: fc.RunDetails<[Scenario]>): void {
  if (!details.failed) return;
  const cause = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  throw new Error(
    `REPRISE_SEED=${details.seed}, path ${details.counterexamplePath}, after ${details.numRuns} runs and ${details.numShrinks} shrinks:\n${cause}`,
  );
}
