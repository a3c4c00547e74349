import { RepriseError } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { drain } from "./model/drain.ts";
import { Driver } from "./model/drive.ts";
import { describeScenario, type Scenario, scenarios } from "./model/scenario.ts";
import { RACED_HISTORIES } from "./replay-support/raced-histories.ts";

const RUNS = process.env.REPRISE_FUZZ ? 20_000 : 120;

/** Replays every finished run of a history in a process that was not there; says what is wrong with the answers. */
async function replayAll(scenario: Scenario): Promise<readonly string[]> {
  const driver = new Driver(scenario);
  await driver.play();
  await drain(driver);
  const { world } = driver;
  const { runtime } = await world.boot();
  const executed = world.executions.length;
  const problems: string[] = [];
  const { items } = await world.tenant.listRuns({ status: "done", limit: 200 });
  for (const { run_id, termination_code } of items) {
    const result = await runtime
      .replay(run_id)
      .catch((error: unknown) => (RepriseError.is(error) ? error : Promise.reject(error)));
    if (RepriseError.is(result)) problems.push(`${run_id} (${termination_code}): ${result.code} ${result.message}`);
    else if (!result.equal) problems.push(`${run_id} (${termination_code}): ${JSON.stringify(result.divergence)}`);
  }
  if (world.executions.length !== executed) problems.push("a replay executed a tool");
  return problems;
}

it("every finished run of a random history verifies, whatever happened to it", { timeout: 7_200_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const problems = await replayAll(scenario);
      if (problems.length > 0) throw new Error(`${problems.slice(0, 5).join("\n")}\n${describeScenario(scenario)}`);
    }),
    { numRuns: RUNS },
  );
  expect(RUNS).toBeGreaterThan(0);
});

/** The same history with its commands a little earlier or later: where a race is depends on how many turns everything takes. */
function* shift(scenario: Scenario): Generator<Scenario> {
  for (let at = 0; at < 4; at += 1) {
    for (let turns = 0; turns < 8; turns += 1) {
      yield {
        ...scenario,
        commands: scenario.commands.map((command, i) => (i === at ? { ...command, turns } : command)),
      };
    }
  }
}

it.each(RACED_HISTORIES)("%s verifies", async (_, scenario) => {
  for (const shifted of shift(scenario)) expect(await replayAll(shifted), describeScenario(shifted)).toEqual([]);
});
