import type { JsonSchema } from "./operation.ts";
import { ANYTHING, COUNT, FLAG, listOf, OBJECT, objectOf, oneOf, TEXT, TIME } from "./schema-words.ts";

const VERDICT = oneOf("passed", "warned", "failed");
const MODE = oneOf("verify", "rescript", "rerun", "live");
const AMOUNT: JsonSchema = { type: "number" };
const METRICS = objectOf(
  {
    pass_rate: { ...AMOUNT, description: "The share of trials that did not fail, from 0 to 1" },
    cost_microcents: AMOUNT,
    tokens: AMOUNT,
    steps: AMOUNT,
    tool_calls: AMOUNT,
    latency_ms: AMOUNT,
  },
  { is_unpriced: { ...FLAG, description: "Whether a part of the cost is not known" } },
);
const COUNTS = objectOf({
  model_calls: COUNT,
  tool_calls: COUNT,
  recorded_answers: COUNT,
  recorded_results: COUNT,
});
const PROBLEM = { name: TEXT, verdict: VERDICT, message: TEXT };

const observedRun = objectOf(
  {
    ended: TEXT,
    text: TEXT,
    calls: listOf(objectOf({ id: TEXT, tool: TEXT, arguments: ANYTHING, outcome: TEXT }, { error: TEXT })),
    approvals: listOf(objectOf({ call_id: TEXT, tool: TEXT, arguments: ANYTHING }, { asked_by: TEXT })),
    steps: COUNT,
    input_tokens: COUNT,
    output_tokens: COUNT,
    cost_microcents: COUNT,
    is_priced: FLAG,
    latency_ms: COUNT,
    models: listOf(TEXT),
  },
  { output: ANYTHING },
);

const judgement = objectOf({
  judge: TEXT,
  model: TEXT,
  digest: { ...TEXT, description: "Of everything the judge was asked" },
  score: { ...AMOUNT, description: "From 0 to 1" },
  reason: TEXT,
  input_tokens: COUNT,
  output_tokens: COUNT,
  cost_microcents: COUNT,
  is_priced: FLAG,
  threshold: { ...AMOUNT, description: "The least score that passes" },
  source: oneOf("live", "recorded"),
});

const trial = objectOf(
  {
    verdict: VERDICT,
    checks: listOf({ ...objectOf(PROBLEM, { expected: ANYTHING, actual: ANYTHING }), additionalProperties: true }),
    notes: listOf(objectOf({ kind: TEXT, message: TEXT }, { tool: TEXT, arguments: ANYTHING })),
    counts: COUNTS,
  },
  { judgements: listOf(judgement), run: observedRun, hash: TEXT, error: objectOf({ code: TEXT, message: TEXT }) },
);

const regression = objectOf(
  { metric: TEXT, baseline: AMOUNT, actual: AMOUNT, verdict: VERDICT },
  { unpriced: { ...oneOf("baseline", "actual"), description: "Which of two costs is not known" } },
);

export type EvalComponentName = "EvalCase" | "Experiment" | "EvalResult" | "EvalOutcome";

/** What the routes of evaluations speak of. */
export const EVAL_COMPONENTS: Readonly<Record<EvalComponentName, JsonSchema>> = {
  EvalCase: objectOf(
    {
      format: TEXT,
      id: TEXT,
      agent_id: TEXT,
      source: objectOf({ run_id: TEXT, digest: TEXT, steps: COUNT }, { cut_before_step: COUNT }),
      redaction: objectOf(
        {
          replaced: {
            type: "object",
            additionalProperties: COUNT,
            description: "How many different texts each rule took out",
          },
        },
        { unverifiable: { ...TEXT, description: "Why the case cannot be verified, where redaction is the reason" } },
      ),
      expect: { ...OBJECT, description: "What the run did, as expectations" },
      recording: OBJECT,
    },
    { description: TEXT, tags: listOf(TEXT) },
  ),
  Experiment: objectOf(
    {
      format: TEXT,
      id: TEXT,
      mode: MODE,
      trials: COUNT,
      started_at: TIME,
      duration_ms: COUNT,
      verdict: VERDICT,
      totals: objectOf({ passed: COUNT, warned: COUNT, failed: COUNT }),
      counts: COUNTS,
      missing: { ...listOf(TEXT), description: "Cases of the baseline that were not evaluated" },
      case_count: COUNT,
      cost_microcents: COUNT,
    },
    { name: TEXT, agent: { ...TEXT, description: "The agent that was played to, where it is not the recorded one" } },
  ),
  EvalResult: objectOf(
    {
      id: TEXT,
      agent_id: TEXT,
      run_id: { ...TEXT, description: "The run that the case was saved of, in the store where it was recorded" },
      verdict: VERDICT,
      metrics: METRICS,
      trials: listOf(trial),
    },
    { regressions: listOf(regression) },
  ),
  EvalOutcome: objectOf({ verdict: VERDICT, metrics: METRICS, problems: listOf(objectOf(PROBLEM)) }),
};
