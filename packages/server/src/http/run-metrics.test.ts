import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, ObservedRun } from "@reprise/contracts";
import { expect, it } from "vitest";
import { Counter, Histogram, LabelledMetric } from "./histogram.ts";
import { RunMetrics } from "./run-metrics.ts";

const RUN = { agentId: 'a"b', runId: "r", threadId: "t", tenant: "secret-tenant" } as unknown as ObservedRun;
const event = (type: string, data: object): AgentEvent => ({ type, data }) as unknown as AgentEvent;

it("counts what an activation took, spent and used, by agent, model and tool", () => {
  const metrics = new RunMetrics();
  const run = metrics.observe(RUN);
  expect(metrics.print()).toContain("reprise_runs_active 1");
  run.model?.({ model: "m" } as never)?.end?.({ answer: {} as never });
  run.model?.({ model: "m" } as never)?.end?.({ error: new Error("no") });
  run.tool?.({ tool: { id: "look" } } as never)?.end?.({ answer: { status: "success" } as never });
  run.event?.(event("inference_complete", { model: "m", usage: { prompt_tokens: 7, completion_tokens: 2 } }));
  const cost = { provider: "p", model: "m", outcome: "succeeded", cost_microcents: 50_000_000 };
  run.event?.(event("cost_recorded", { ...cost, run_cost_microcents: 50_000_000 }));
  run.event?.(event("run_finish", { termination: { type: "stopped", value: { code: "max_rounds_reached" } } }));
  run.close?.();
  const text = metrics.print().join("\n");
  const agent = 'agent="a\\"b"';
  for (const line of [
    "reprise_runs_active 0",
    `reprise_run_activation_seconds_count{${agent},termination="stopped"} 1`,
    `reprise_run_cost_dollars_bucket{${agent},le="0.1"} 0`,
    `reprise_run_cost_dollars_bucket{${agent},le="0.5"} 1`,
    `reprise_run_cost_dollars_sum{${agent}} 0.5`,
    `reprise_model_turn_seconds_count{${agent},model="m",outcome="success"} 1`,
    `reprise_model_turn_seconds_count{${agent},model="m",outcome="error"} 1`,
    `reprise_tool_seconds_count{${agent},tool="look",outcome="success"} 1`,
    `reprise_model_tokens_total{${agent},model="m",type="input"} 7`,
    `reprise_model_cost_dollars_total{${agent},provider="p",model="m"} 0.5`,
    'reprise_model_attempts_total{provider="p",model="m",outcome="succeeded"} 1',
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  expect(text).not.toContain("secret-tenant");
});

it("counts values in the buckets they fit in, and those that fit in none in the last", () => {
  const histogram = new Histogram([1, 2]);
  for (const value of [0.5, 1, 1.5, 99]) histogram.add(value);
  expect(histogram.print("h", 'a="x"')).toEqual([
    'h_bucket{a="x",le="1"} 2',
    'h_bucket{a="x",le="2"} 3',
    'h_bucket{a="x",le="+Inf"} 4',
    'h_sum{a="x"} 102',
    'h_count{a="x"} 4',
  ]);
});

it("stays small however many values a label is given", () => {
  const metric = new LabelledMetric("m", ["one", "other"], () => new Counter());
  for (let first = 0; first < 300; first += 1) {
    for (let second = 0; second < 300; second += 1) metric.of(`${first}`, `${second}`).add(1);
  }
  const printed = metric.list().flatMap(([labels, series]) => series.print("m", labels));
  expect(printed.length).toBeLessThanOrEqual(2_001);
  const total = printed.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  expect(total).toBe(90_000);
});

it("writes a label so that no value can add a line or a label", () => {
  const metric = new LabelledMetric("m", ["tool"], () => new Counter());
  metric.of('x"} 1\nm{tool="y\\').add(1);
  expect(metric.list().map(([labels]) => labels)).toEqual(['tool="x\\"} 1\\nm{tool=\\"y\\\\"']);
});

it("has a line in the reference for every metric", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/observability.md"), "utf8");
  const source = ["run-metrics.ts", "server-metrics.ts"].map((file) =>
    readFileSync(join(import.meta.dirname, file), "utf8"),
  );
  const names = new Set(source.join("\n").match(/reprise_[a-z_]+[a-z]/g));
  expect(names.size).toBeGreaterThan(10);
  for (const name of names) expect(page).toContain(`| \`${name}\` |`);
});
