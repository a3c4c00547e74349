import { scriptedModel } from "reprise";
import { expect, it } from "vitest";
import { compareCase } from "../src/evaluate/baseline.ts";
import {
  BASELINE_FORMAT,
  type Baseline,
  baselineOf,
  type CaseResult,
  describeRegression,
  readBaseline,
  runExperiment,
  writeMarkdown,
} from "../src/index.ts";
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

it("warns when the cost is known on one side only, and compares what is known where both sides lack a price", async () => {
  const metrics = { pass_rate: 1, cost_microcents: 100, tokens: 9, steps: 1, tool_calls: 0, latency_ms: 3 };
  const trials: CaseResult["trials"] = [];
  const now = (cost_microcents: number, is_unpriced?: boolean): CaseResult => ({
    ...{ id: "a", agent_id: "shop", run_id: "r1", verdict: "passed", trials },
    metrics: { ...metrics, cost_microcents, ...(is_unpriced !== undefined && { is_unpriced }) },
  });
  const before = (is_unpriced?: boolean): Baseline => ({
    ...{ format: BASELINE_FORMAT, mode: "rerun", tolerance: { cost_microcents: 0.1 } },
    cases: { a: { ...metrics, ...(is_unpriced !== undefined && { is_unpriced }) } },
  });
  const told = (result: CaseResult, baseline: Baseline): readonly string[] => {
    const { verdict, regressions = [] } = compareCase(result, baseline);
    return [verdict, ...regressions.map(describeRegression)];
  };
  expect(told(now(110), before())).toEqual(["passed"]);
  expect(told(now(111), before())).toEqual(["warned", "baseline cost_microcents: 100 before, 111 now"]);
  expect(told(now(0, true), before(false))).toEqual([
    "warned",
    "baseline cost_microcents: 100 before, 0 now; the cost is not wholly known",
  ]);
  expect(told(now(500), before(true))).toEqual([
    "warned",
    "baseline cost_microcents: 100 before, 500 now; that of the baseline is not wholly known",
  ]);
  expect(told(now(100, true), before(true))).toEqual(["passed"]);
  expect(told(now(200, true), before(true))).toEqual(["warned", "baseline cost_microcents: 100 before, 200 now"]);
  expect(told(now(0, true), { ...before(), tolerance: {} })).toEqual(["passed"]);
  expect(readBaseline(JSON.parse(JSON.stringify(before(true))))).toEqual(before(true));
});

it("measures what a model with a price cost, and says that the cost is unknown where it has none", async () => {
  const evalCase = { ...(await makeCase()), expect: { limits: { cost_microcents: 50_000 } } };
  const evaluate = (pricing?: { readonly input_per_million: number; readonly output_per_million: number }) =>
    runExperiment([evalCase], {
      mode: "rerun",
      definitions: {
        agents: [shopAgent({ model: "near/one" })],
        models: [{ id: "near/one", provider: "near", model: "one", ...(pricing !== undefined && { pricing }) }],
        providers: [{ id: "near", model: () => scriptedModel(SCRIPT) }],
      },
      env,
    });
  // 450 tokens in and 28 out.
  const priced = await evaluate({ input_per_million: 1, output_per_million: 0 });
  expect([priced.verdict, priced.cases[0]?.metrics.cost_microcents]).toEqual(["passed", 45_000]);
  expect(priced.cases[0]?.metrics.is_unpriced).toBeUndefined();
  const dear = await evaluate({ input_per_million: 1, output_per_million: 10 });
  expect([dear.verdict, dear.cases[0]?.metrics.cost_microcents]).toEqual(["failed", 73_000]);
  const unpriced = await evaluate();
  expect([unpriced.verdict, unpriced.cases[0]?.metrics]).toMatchObject(["failed", { is_unpriced: true }]);
  expect(unpriced.cases[0]?.trials[0]?.checks.at(-1)?.message).toContain("has no price");
  expect(writeMarkdown(unpriced)).toMatch(/\| unknown \|$/m);
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
