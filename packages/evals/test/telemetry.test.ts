import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { observability } from "reprise/plugins/observability";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type EvalCase, type EvalTelemetry, runExperiment } from "../src/index.ts";
import { env, makeCase, openShop, shopAgent } from "./support/shop.ts";

const exporter = new InMemorySpanExporter();

/** Active spans over awaits, as the SDK for Node has it. */
const storage = new AsyncLocalStorage<Context>();

beforeAll(() => {
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, thisArgument, ...given) => storage.run(active, () => run.apply(thisArgument, given)),
    bind: (_active, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
});
afterAll(() => {
  trace.disable();
  context.disable();
});
beforeEach(() => exporter.reset());

/** Plays cases to a shop, and gives back the spans of their trials. */
async function play(cases: readonly EvalCase[], more: Partial<EvalTelemetry> = {}, trials = 1) {
  const telemetry: EvalTelemetry = { tracer: trace.getTracer("evals"), ...more };
  const agents = [shopAgent({ tools: openShop().tools, plugins: [observability()] })];
  const options = { mode: "rescript", definitions: { agents }, env, trials, concurrency: 1, telemetry } as const;
  const experiment = await runExperiment(cases, options);
  const spans = exporter.getFinishedSpans();
  return { experiment, spans, evaluations: spans.filter(({ name }) => name.startsWith("evaluate ")) };
}

it("says every check of every trial as an event, on a span that has the spans of the played run below it", async () => {
  const evalCase = await makeCase({ plugins: [observability()] });
  exporter.reset();
  const { experiment, spans, evaluations } = await play([evalCase], {}, 2);
  const checks = experiment.cases[0]?.trials[0]?.checks ?? [];
  expect(checks.length).toBeGreaterThan(2);
  expect(evaluations.map(({ name, attributes }) => [name, attributes])).toEqual(
    [1, 2].map((trial) => [
      "evaluate refund-small",
      {
        "gen_ai.agent.name": "shop",
        "reprise.eval.case": "refund-small",
        "reprise.eval.mode": "rescript",
        "reprise.eval.trial": trial,
        "reprise.eval.recorded_run.id": evalCase.source.run_id,
        "reprise.eval.verdict": "passed",
      },
    ]),
  );
  for (const { events } of evaluations)
    expect(events.map(({ name, attributes }) => [name, attributes])).toEqual(
      checks.map(({ name }) => [
        "gen_ai.evaluation.result",
        {
          "gen_ai.evaluation.name": name,
          "gen_ai.evaluation.score.value": 1,
          "gen_ai.evaluation.score.label": "passed",
        },
      ]),
    );
  const runs = spans.filter(({ name }) => name === "invoke_agent shop");
  expect(runs.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
    evaluations.map((span) => span.spanContext().spanId),
  );
});

it("says why a check did not pass only where content may be captured", async () => {
  const made = await makeCase();
  const spoilt: EvalCase = {
    ...made,
    expect: { output: { contains: ["Never said."] }, limits: { steps: 1 }, warn_only: ["limits"] },
  };
  const silent = await play([spoilt]);
  exporter.reset();
  const { evaluations } = await play([spoilt], { captureContent: true });
  const eventOf = (found: typeof evaluations, word: string) =>
    found[0]?.events.find(({ attributes }) => String(attributes?.["gen_ai.evaluation.name"]).startsWith(word))
      ?.attributes;
  expect(eventOf(evaluations, "output")).toEqual({
    "gen_ai.evaluation.name": 'output contains "Never said."',
    "gen_ai.evaluation.score.value": 0,
    "gen_ai.evaluation.score.label": "failed",
    "gen_ai.evaluation.explanation": "The output does not contain it.",
  });
  expect(eventOf(evaluations, "limits")).toMatchObject({
    "gen_ai.evaluation.score.value": 0,
    "gen_ai.evaluation.score.label": "warned",
  });
  expect(eventOf(silent.evaluations, "output")).not.toHaveProperty("gen_ai.evaluation.explanation");
});

it("has the error of a case that could not be played", async () => {
  const evalCase = await makeCase();
  const telemetry: EvalTelemetry = { tracer: trace.getTracer("evals") };
  exporter.reset();
  await runExperiment([evalCase], { mode: "rescript", definitions: { agents: [] }, env, telemetry });
  const [span] = exporter.getFinishedSpans();
  expect(span?.status.code).toBe(2);
  expect(span?.attributes).toMatchObject({ "error.type": "AGENT_NOT_FOUND", "reprise.eval.verdict": "failed" });
  expect(span?.events[0]?.attributes).toMatchObject({
    "gen_ai.evaluation.name": "played",
    "error.type": "AGENT_NOT_FOUND",
  });
});
