import { openaiCompatible } from "@reprise/models";
import { type ServerScript, startModelServer } from "@reprise/testkit/model-server";
import { scriptedModel } from "reprise";
import { expect, it, onTestFinished } from "vitest";
import {
  type EvalCase,
  type Experiment,
  type ExperimentOptions,
  type JudgeExpectation,
  readCase,
  runExperiment,
  withJudgements,
  writeJunit,
  writeMarkdown,
} from "../src/index.ts";
import { env, makeCase, openShop, SCRIPT, shopAgent } from "./support/shop.ts";

const POLITE: JudgeExpectation = {
  id: "polite",
  model: "court/one",
  rubric: "The answer is polite and says what was done.",
  threshold: 0.7,
};

const says = (score: number, reason = "It says that the money is on its way.") => [
  { text: JSON.stringify({ reason, score }) },
  { usage: { promptTokens: 1_000, completionTokens: 100 } },
];

/** A court with one model, behind a real server. */
async function openCourt(script: ServerScript) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const evaluate = (
    evalCase: EvalCase,
    mode: ExperimentOptions["mode"],
    { answers = SCRIPT, ...options }: Partial<ExperimentOptions> & { readonly answers?: typeof SCRIPT } = {},
  ): Promise<Experiment> =>
    runExperiment([evalCase], {
      mode,
      definitions: {
        agents: [shopAgent({ model: scriptedModel(answers), tools: openShop().tools })],
        models: [
          {
            id: "court/one",
            provider: "court",
            model: "one",
            pricing: { input_per_million: 1, output_per_million: 10 },
          },
        ],
        providers: [openaiCompatible({ id: "court", baseUrl: `${server.url}/v1` })],
      },
      env,
      ...options,
    });
  return { server, evaluate };
}

async function judgedCase(...judges: readonly JudgeExpectation[]): Promise<EvalCase> {
  return readCase({ ...(await makeCase()), expect: { judges } });
}

const checksOf = ({ cases }: Experiment): readonly string[] =>
  cases.flatMap(({ trials }) =>
    trials.flatMap(({ checks }) =>
      checks
        .filter(({ name }) => name.startsWith("judge"))
        .map(({ name, verdict, message }) => `${name} ${verdict} ${message}`.trim()),
    ),
  );

it("has a rerun judged by a model that reads the conversation, the calls with their results, and the answer", async () => {
  const { server, evaluate } = await openCourt(() => says(0.9));
  const result = await evaluate(await judgedCase(POLITE), "rerun");
  expect([result.verdict, checksOf(result)]).toEqual(["passed", ["judge polite passed"]]);
  // Three questions to the agent's model, and one to the judge's.
  expect(result.counts.model_calls).toBe(4);
  expect(result.cases[0]?.trials[0]?.judgements).toEqual([
    {
      judge: "polite",
      model: "court/one",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      score: 0.9,
      reason: "It says that the money is on its way.",
      input_tokens: 1_000,
      output_tokens: 100,
      cost_microcents: 200_000,
      is_priced: true,
      threshold: 0.7,
      source: "live",
    },
  ]);
  // What the judge cost is not what the agent cost.
  expect(result.cases[0]?.metrics.tokens).toBe(478);
  const asked = JSON.stringify(server.requests[0]?.body);
  for (const part of [POLITE.rubric, "Refund my order a1.", "r-a1", "Your 20 are on their way.", "json_schema"])
    expect(asked).toContain(part);
});

it("fails a run below the threshold, with the reason, and only warns where the case says so", async () => {
  const { evaluate } = await openCourt(() => says(0.4, "It is curt."));
  const evalCase = await judgedCase(POLITE);
  const failed = await evaluate(evalCase, "rerun");
  expect([failed.verdict, checksOf(failed)]).toEqual([
    "failed",
    ["judge polite failed The score must be at least 0.7 (got 0.4): It is curt."],
  ]);
  expect(writeMarkdown(failed)).toContain("- refund-small: judge polite: 0.4 of at least 0.7 (court/one, live)");
  expect(writeJunit(failed)).toContain("<system-out>judge polite: 0.4 of at least 0.7 (court/one, live)</system-out>");
  const warning = { ...evalCase, expect: { ...evalCase.expect, warn_only: ["judges" as const] } };
  expect((await evaluate(warning, "rerun")).verdict).toBe("warned");
});

it("judges from the recording in verify and rescript, asks nobody, and warns of what was never judged", async () => {
  const { server, evaluate } = await openCourt((_, turn) => says(turn === 1 ? 0.8 : 0.1));
  const unjudged = await judgedCase(POLITE);
  for (const mode of ["verify", "rescript"] as const) {
    const result = await evaluate(unjudged, mode);
    expect([result.verdict, checksOf(result)]).toEqual([
      "warned",
      [expect.stringContaining("It has no judgement yet")],
    ]);
  }
  expect(server.requests).toEqual([]);

  const judging = await evaluate(unjudged, "verify", { judges: "live" });
  expect([judging.verdict, judging.counts.model_calls]).toEqual(["passed", 1]);
  const [judged] = judging.cases;
  const recorded = readCase(JSON.parse(JSON.stringify(withJudgements(unjudged, judged ?? { trials: [] }))));
  expect(recorded.judgements).toMatchObject([{ judge: "polite", score: 0.8 }]);
  for (const mode of ["verify", "rescript"] as const) {
    const result = await evaluate(recorded, mode);
    expect([result.verdict, checksOf(result), result.counts.model_calls]).toEqual([
      "passed",
      ["judge polite passed"],
      0,
    ]);
    expect(result.cases[0]?.trials[0]?.judgements).toMatchObject([{ score: 0.8, source: "recorded" }]);
  }
  // A higher bar needs no new judgement, and another rubric does.
  const judge = (change: Partial<JudgeExpectation>): EvalCase => ({
    ...recorded,
    expect: { judges: [{ ...POLITE, ...change }] },
  });
  expect((await evaluate(judge({ threshold: 0.9 }), "rescript")).verdict).toBe("failed");
  expect(checksOf(await evaluate(judge({ rubric: "It rhymes." }), "rescript"))).toEqual([
    expect.stringContaining("about another rubric, model or run"),
  ]);
  expect(server.requests).toHaveLength(1);
  // In a rerun the judge is asked again.
  expect((await evaluate(recorded, "rerun")).verdict).toBe("failed");
  expect(server.requests).toHaveLength(2);
});

it("takes the beginning of a run for the same in verify and rescript", async () => {
  const { server, evaluate } = await openCourt(() => says(0.9, "x".repeat(100_000)));
  const cut = await makeCase({}, { upToStep: 1, expect: { judges: [POLITE] } });
  const [judged] = (await evaluate(cut, "rescript", { judges: "live" })).cases;
  const recorded = withJudgements(cut, judged ?? { trials: [] });
  for (const mode of ["verify", "rescript"] as const)
    expect(checksOf(await evaluate(recorded, mode))).toEqual(["judge polite passed"]);
  expect(server.requests.length).toBe(1);
  // A case is read by people, and a kept experiment has a limit.
  expect(recorded.judgements?.[0]?.reason.length).toBeLessThan(5_000);
});

it("does not take a judgement for that of a run that came to something else", async () => {
  const { evaluate } = await openCourt(() => says(1));
  const unjudged = await judgedCase(POLITE);
  const [judged] = (await evaluate(unjudged, "rescript", { judges: "live" })).cases;
  const recorded = withJudgements(unjudged, judged ?? { trials: [] });
  const changed = { ...recorded, recording: (await makeCase({ input: "Refund a1, or else." })).recording };
  expect(checksOf(await evaluate(changed, "rescript"))).toEqual([
    expect.stringMatching(/^judge polite warned .*about another rubric, model or run/),
  ]);
});

it("fails with what went wrong when a judge cannot say, and asks the others", async () => {
  const { evaluate } = await openCourt(({ body }) =>
    JSON.stringify(body).includes("It rhymes.") ? [{ text: "No idea." }] : says(0.9),
  );
  const broken = { ...POLITE, id: "poet", rubric: "It rhymes." };
  const absent = { ...POLITE, id: "gone", model: "nowhere/two" };
  const result = await evaluate(await judgedCase(broken, absent, POLITE), "rerun");
  expect(result.verdict).toBe("failed");
  expect(checksOf(result)).toEqual([
    expect.stringMatching(/^judge poet failed The run could not be judged: /),
    expect.stringMatching(/^judge gone failed The run could not be judged: .*nowhere/s),
    "judge polite passed",
  ]);
});

it("keeps the judgements of judges that were not asked, and drops those of judges that are gone", async () => {
  const judgement = { model: "court/one", digest: "d", reason: "", input_tokens: 1, output_tokens: 1 };
  const made = (judge: string, score: number) => ({ ...judgement, judge, score, cost_microcents: 0, is_priced: true });
  const evalCase = {
    ...(await judgedCase(POLITE, { ...POLITE, id: "exact" })),
    judgements: [made("polite", 0.1), made("exact", 0.2), made("gone", 0.3)],
  };
  const trial = {
    verdict: "passed",
    checks: [],
    notes: [],
    counts: { model_calls: 0, tool_calls: 0, recorded_answers: 0, recorded_results: 0 },
  } as const;
  const live = { ...made("polite", 0.9), threshold: 0.7, source: "live" } as const;
  const known = { ...made("exact", 1), threshold: 0.7, source: "recorded" } as const;
  const after = withJudgements(evalCase, { trials: [{ ...trial, judgements: [live, known] }] });
  expect(after.judgements).toEqual([made("polite", 0.9), made("exact", 0.2)]);
  expect(withJudgements({ ...evalCase, expect: {} }, { trials: [] })).not.toHaveProperty("judgements");
});

it.each([
  ["two with one id", [POLITE, POLITE], /each judge must have an id of its own/],
  ["a threshold above 1", [{ ...POLITE, threshold: 70 }], /threshold.*it must be at most 1/],
  ["no rubric", [{ ...POLITE, rubric: "" }], /rubric/],
])("refuses judges with %s", async (_, judges, message) => {
  const evalCase = await makeCase();
  expect(() => readCase({ ...evalCase, expect: { judges } })).toThrow(message);
});
