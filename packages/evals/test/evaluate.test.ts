import { blockCall, definePlugin, scriptedModel, suspendCall } from "reprise";
import { expect, it } from "vitest";
import { type EvalCase, type Experiment, type ExperimentOptions, readCase, runExperiment } from "../src/index.ts";
import { env, makeCase, openShop, SCRIPT, type ShopAgent, shopAgent } from "./support/shop.ts";

function evaluate(
  evalCase: EvalCase,
  mode: ExperimentOptions["mode"],
  agent: ShopAgent = {},
  options: Partial<ExperimentOptions> = {},
): Promise<Experiment> {
  return runExperiment([evalCase], { mode, definitions: { agents: [shopAgent(agent)] }, env, ...options });
}

const problemsOf = ({ cases }: Experiment): readonly string[] =>
  cases.flatMap(({ trials }) =>
    trials.flatMap(({ checks }) =>
      checks.flatMap(({ name, verdict, message }) => (verdict === "passed" ? [] : [`${name} ${verdict}: ${message}`])),
    ),
  );

it("verifies a case by its hash, the same every time, and refuses one that was edited", async () => {
  const evalCase = await makeCase();
  const [first, second] = [await evaluate(evalCase, "verify"), await evaluate(evalCase, "verify")];
  expect([first.verdict, problemsOf(first)]).toEqual(["passed", []]);
  const hash = first.cases[0]?.trials[0]?.hash;
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(second.cases[0]?.trials[0]?.hash).toBe(hash);
  const edited = readCase(JSON.parse(JSON.stringify(evalCase).replace("on their way", "not coming")));
  expect(problemsOf(await evaluate(edited, "verify"))).toEqual([
    "replay failed: The recorded run does not come to the same commits.",
  ]);
});

it("plays a case to the agent of today without asking a model or calling a tool", async () => {
  const evalCase = await makeCase();
  const shop = openShop();
  const result = await evaluate(evalCase, "rescript", { tools: shop.tools });
  expect([result.verdict, problemsOf(result)]).toEqual(["passed", []]);
  expect(shop.called).toEqual([]);
  expect(result.counts).toEqual({ model_calls: 0, tool_calls: 0, recorded_answers: 3, recorded_results: 2 });
  const run = result.cases[0]?.trials[0]?.run;
  expect(run).toMatchObject({
    ended: "natural",
    text: "Your 20 are on their way.",
    input_tokens: 450,
    output_tokens: 28,
  });
});

it("restores what tools did to the state, and the thread as it was before the run", async () => {
  const before = {
    input: "Refund order z9.",
    script: [[{ call: "refund", arguments: { id: "z9", amount: 5 } }], "Done."],
  };
  const evalCase = await makeCase({ before });
  const expect_ = {
    state: [
      { path: "orders.0", equals: "z9" },
      { path: "orders.1", equals: "a1" },
      { path: "x", exists: false },
    ],
  };
  const seen: string[] = [];
  const watch = definePlugin({
    id: "watch",
    hooks: { beforeInference: ({ messages }) => void seen.push(messages.map(({ role }) => role).join(" ")) },
  });
  const result = await evaluate({ ...evalCase, expect: expect_ }, "rescript", { plugins: [watch] });
  expect(problemsOf(result)).toEqual([]);
  expect(seen[0]).toBe("user assistant tool assistant user");
  const wrong = {
    state: [{ path: "orders.1", equals: "b2" }, { path: "orders.9" }, { path: "orders.0", matches: "^q" }],
  };
  expect(problemsOf(await evaluate({ ...evalCase, expect: wrong }, "rescript"))).toEqual([
    "state orders.1 failed: orders.1 has another value.",
    "state orders.9 failed: orders.9 does not exist.",
    "state orders.0 failed: orders.0 does not match ^q.",
  ]);
});

it("finds a rule of today that blocks a call, one that asks about it, and a limit that stops the run", async () => {
  const evalCase = await makeCase();
  const block = definePlugin({
    id: "rule",
    hooks: { beforeToolExecute: ({ call }) => (call.toolId === "refund" ? [blockCall("Not today.")] : undefined) },
  });
  expect(problemsOf(await evaluate(evalCase, "rescript", { plugins: [block] }))).toEqual([
    expect.stringContaining('tools failed: call 2 must be refund({"id":"a1","amount":20})'),
  ]);
  const ask = definePlugin({
    id: "rule",
    hooks: {
      beforeToolExecute: ({ call, decision }) =>
        call.toolId === "refund" && decision === undefined ? [suspendCall({ action: "approval" })] : undefined,
    },
  });
  expect(problemsOf(await evaluate(evalCase, "rescript", { plugins: [ask] }))).toEqual([
    'approvals failed: a person was asked about refund({"id":"a1","amount":20}).',
  ]);
  expect(problemsOf(await evaluate(evalCase, "rescript", { maxRounds: 1 }))).toEqual([
    "playback answers_left failed: The run ended with 2 of 3 recorded answers left.",
    expect.stringContaining("tools failed: call 2 must be refund"),
    "ended failed: The run must end as natural (got stopped:max_rounds_reached).",
  ]);
  expect(problemsOf(await evaluate(evalCase, "rescript", { budget: { limitTokens: 120 } }))).toContain(
    "ended failed: The run must end as natural (got error).",
  );
});

it("gives the recorded decisions to the questions of today", async () => {
  const script = [[{ call: "refund", arguments: { id: "a1", amount: 90 } }], "Done."];
  const approved = await makeCase({ script });
  expect(approved.expect.approvals).toEqual([{ tool: "refund", arguments: { id: "a1", amount: 90 } }]);
  expect(problemsOf(await evaluate(approved, "rescript"))).toEqual([]);
  const denied = await makeCase({ script, decide: "deny" });
  const result = await evaluate(denied, "rescript");
  expect(problemsOf(result)).toEqual([]);
  expect(result.cases[0]?.trials[0]?.run?.calls).toMatchObject([{ outcome: "cancelled", error: "denied" }]);
});

it("asks a live model in a rerun, makes no call that changes something, and reads only where that is allowed", async () => {
  const evalCase = await makeCase();
  const script = [
    [{ call: "find_order", arguments: { id: "a1" } }],
    [{ call: "find_order", arguments: { id: "b2" } }],
    [{ call: "refund", arguments: { id: "b2", amount: 7 } }],
    "I could not.",
  ];
  const shop = openShop();
  const model = scriptedModel(script);
  const strict = await evaluate(evalCase, "rerun", { model, tools: shop.tools });
  expect(shop.called).toEqual([]);
  expect(model.requests.length).toBe(4);
  expect(strict.counts).toEqual({ model_calls: 4, tool_calls: 0, recorded_answers: 0, recorded_results: 1 });
  expect(strict.cases[0]?.trials[0]?.notes.map(({ kind, tool }) => `${kind} ${tool}`)).toEqual([
    "refused_call find_order",
    "refused_call refund",
  ]);
  expect(strict.verdict).toBe("failed");

  const reading = { model: scriptedModel(script), tools: shop.tools };
  const open = await evaluate({ ...evalCase, expect: {} }, "rerun", reading, {
    live: { reads: ["find_order"], writes: true },
  });
  expect(shop.called).toEqual(["find_order b2"]);
  expect(problemsOf(open)).toEqual([
    "playback refused_call warned: refund was not called. The call would change something, and the evaluation does not allow it.",
  ]);
  expect(open.verdict).toBe("warned");
});

it("calls tools in the live mode, and those that change something only where that is allowed", async () => {
  const evalCase = await makeCase();
  const shop = openShop();
  const agent = (): ShopAgent => ({ model: scriptedModel(SCRIPT), tools: shop.tools });
  const careful = await evaluate({ ...evalCase, expect: {} }, "live", agent());
  expect([careful.verdict, shop.called]).toEqual(["warned", ["find_order a1"]]);
  const allowed = await evaluate(evalCase, "live", agent(), { live: { writes: true } });
  expect([allowed.verdict, shop.called.slice(1)]).toEqual(["passed", ["find_order a1", "refund a1 20"]]);
  expect(allowed.counts).toMatchObject({ model_calls: 3, tool_calls: 2 });
});

it("plays the beginning of a run alone, and verifies it", async () => {
  const evalCase = await makeCase({}, { upToStep: 1 });
  expect(evalCase.source).toMatchObject({ steps: 1, cut_before_step: 2 });
  expect(evalCase.expect).toMatchObject({ tools: { calls: [{ tool: "find_order" }] } });
  expect(problemsOf(await evaluate(evalCase, "verify"))).toEqual([]);
  const played = await evaluate(evalCase, "rescript");
  expect([problemsOf(played), played.counts.recorded_answers]).toEqual([[], 1]);
});

it("needs no key for a model of today whose answers are recorded", async () => {
  const evalCase = await makeCase();
  const unready = {
    id: "near",
    model: () => {
      throw new Error("Model near/one needs a key.");
    },
  };
  const definitions = { agents: [shopAgent({ model: "near/one" })], providers: [unready] };
  const rescript = await runExperiment([evalCase], { mode: "rescript", definitions, env });
  expect([rescript.verdict, problemsOf(rescript)]).toEqual(["passed", []]);
  const rerun = await runExperiment([evalCase], { mode: "rerun", definitions, env });
  expect(problemsOf(rerun)).toEqual([expect.stringContaining("cannot give its model")]);
});

it("reports the cases that cannot be played, and evaluates the others", async () => {
  const evalCase = await makeCase();
  const gone = {
    ...evalCase,
    id: "gone",
    recording: { ...evalCase.recording, request: { ...evalCase.recording.request, agent_id: "nobody" } },
  };
  const options = { mode: "rescript" as const, definitions: { agents: [shopAgent()] }, env };
  const { cases, totals } = await runExperiment([gone, evalCase], options);
  expect(totals).toEqual({ passed: 1, warned: 0, failed: 1 });
  expect(cases[0]?.trials[0]?.error).toMatchObject({ code: "AGENT_NOT_FOUND" });
});
