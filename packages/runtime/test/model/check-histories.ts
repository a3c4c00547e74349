import fc from "fast-check";
import { drain } from "./drain.ts";
import { Driver } from "./drive.ts";
import { findProblems } from "./invariants.ts";
import { describeScenario, type Scenario, scenarios } from "./scenario.ts";

/** Plays a history over processes that crash, until nothing is left to do. */
export async function play(scenario: Scenario): Promise<Driver> {
  const driver = new Driver(scenario);
  await driver.play();
  await drain(driver);
  return driver;
}

/** Plays random histories and throws, with the smallest one, when a promise was not kept. */
export async function checkHistories(count: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const problems = await findProblems(await play(scenario));
      if (problems.length > 0) throw new Error(`${problems.slice(0, 5).join("\n")}\n${describeScenario(scenario)}`);
    }),
    { numRuns: count, reporter: reportShort },
  );
}

/** The seed and the smallest history are what one needs; the generated value is said better by the error itself. */
function reportShort(details: fc.RunDetails<[Scenario]>): void {
  if (!details.failed) return;
  const cause = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  throw new Error(
    `REPRISE_SEED=${details.seed}, path ${details.counterexamplePath}, after ${details.numRuns} runs and ${details.numShrinks} shrinks:\n${cause}`,
  );
}
