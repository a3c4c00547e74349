import { scriptedModel } from "reprise";
import { expect, it } from "vitest";
import { type Baseline, baselineOf, readBaseline, runExperiment } from "../src/index.ts";
import { env, makeCase, openShop, SCRIPT, shopAgent } from "./support/shop.ts";

const answer = (calls: number) =>
  Array.from({ length: calls }, () => [{ call: "find_order", arguments: { id: "a1" } }]).concat([]);

async function rerun(baseline?: Baseline, { calls = 1, trials = 1, bad = 0 } = {}) {
  const evalCase = { ...(await makeCase()), expect: { output: { contains: ["Done"] } } };
  let run = 0;
  const model = scriptedModel(({ messages }) => {
    const made = messages.filter(({ role }) => role === "tool").length;
    if (made < calls) return answer(1)[0] ?? [];
    run += 1;
    return run <= bad ? "Sorry." : "Done.";
  });
  return runExperiment([evalCase], {
    mode: "rerun",
    definitions: { agents: [shopAgent({ model, tools: openShop().tools })] },
    env,
    trials,
    ...(baseline !== undefined && { baseline }),
  });
}

it("warns of more steps than the baseline had, and fails when fewer trials pass than tolerated", async () => {
  const baseline = baselineOf(await rerun(), { pass_rate: 0, steps: 0.5 });
  expect(baseline.cases["refund-small"]).toMatchObject({ pass_rate: 1, steps: 2, tool_calls: 1 });
  expect((await rerun(baseline)).verdict).toBe("passed");
  const slower = await rerun(baseline, { calls: 3 });
  expect(slower.verdict).toBe("warned");
  expect(slower.cases[0]?.regressions).toEqual([{ metric: "steps", baseline: 2, actual: 4, verdict: "warned" }]);
  const worse = await rerun(baseline, { trials: 4, bad: 1 });
  expect(worse.verdict).toBe("failed");
  expect(worse.cases[0]?.metrics.pass_rate).toBe(0.75);
  const tolerant = { ...baseline, tolerance: { pass_rate: 0.3 } };
  expect((await rerun(tolerant, { trials: 4, bad: 1 })).verdict).toBe("warned");
});

it("reports cases that are gone, refuses another mode, and reads no other format", async () => {
  const evalCase = await makeCase({ script: SCRIPT });
  const options = { mode: "rescript" as const, definitions: { agents: [shopAgent()] }, env };
  const baseline = baselineOf(await runExperiment([evalCase, { ...evalCase, id: "other" }], options));
  const { verdict, missing } = await runExperiment([evalCase], { ...options, baseline });
  expect([verdict, missing]).toEqual(["failed", ["other"]]);
  expect((await runExperiment([evalCase], { ...options, baseline, isPartial: true })).verdict).toBe("passed");
  await expect(runExperiment([evalCase], { ...options, mode: "verify", baseline })).rejects.toMatchObject({
    code: "EVAL_CASE_INVALID",
  });
  expect(readBaseline(JSON.parse(JSON.stringify(baseline)))).toEqual(baseline);
  expect(() => readBaseline({ ...baseline, tolerance: { steps: "few" } })).toThrow(/tolerance\.steps/);
});

it("refuses two cases with one id, and a number of trials that is none", async () => {
  const evalCase = await makeCase();
  const options = { mode: "verify" as const, definitions: {}, env };
  await expect(runExperiment([evalCase, evalCase], options)).rejects.toThrow(/two cases with the id refund-small/);
  await expect(runExperiment([evalCase], { ...options, trials: 0 })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});
