import {
  type AgentEvent,
  type ObservedRun,
  type RunObserver,
  terminationCode,
  type WorkObserver,
} from "@reprise/contracts";
import { Counter, Histogram, LabelledMetric } from "./histogram.ts";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const DOLLARS = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50];

/** Millionths of a cent in a dollar. */
const MICROCENTS = 100_000_000;

function seconds(name: string, ...labels: readonly string[]): LabelledMetric<Histogram> {
  return new LabelledMetric(name, labels, () => new Histogram(SECONDS));
}

function counter(name: string, ...labels: readonly string[]): LabelledMetric<Counter> {
  return new LabelledMetric(name, labels, () => new Counter());
}

/** What the runs of this process took and cost, for Prometheus: by agent, model and tool. Runs of every tenant, none by name. */
export class RunMetrics {
  #open = 0;
  readonly #activations = seconds("reprise_run_activation_seconds", "agent", "termination");
  readonly #cost = new LabelledMetric("reprise_run_cost_dollars", ["agent"], () => new Histogram(DOLLARS));
  readonly #models = seconds("reprise_model_turn_seconds", "agent", "model", "outcome");
  readonly #tokens = counter("reprise_model_tokens_total", "agent", "model", "type");
  readonly #spent = counter("reprise_model_cost_dollars_total", "agent", "provider", "model");
  readonly #attempts = counter("reprise_model_attempts_total", "provider", "model", "outcome");
  readonly #tools = seconds("reprise_tool_seconds", "agent", "tool", "outcome");

  /** For `runtime.observe`. */
  readonly observe = ({ agentId: agent }: ObservedRun): RunObserver => {
    this.#open += 1;
    const startedAt = performance.now();
    let termination = "given_back";
    let runCost: number | undefined;
    return {
      model: ({ model }) => this.#time((outcome) => this.#models.of(agent, model, outcome)),
      tool: ({ tool }) =>
        this.#time(
          (outcome) => this.#tools.of(agent, tool.id, outcome),
          ({ status }) => status,
        ),
      event: (event) => {
        this.#count(agent, event);
        if (event.type === "cost_recorded") runCost = event.data.run_cost_microcents;
        if (event.type === "model_waiting") termination = "model_waiting";
        if (event.type !== "run_finish") return;
        // The codes of stop policies are the application's own.
        [termination = ""] = terminationCode(event.data.termination).split(":");
        const isOver = event.data.termination.type !== "suspended";
        if (isOver && runCost !== undefined) this.#cost.of(agent).add(runCost / MICROCENTS);
      },
      close: () => {
        this.#open -= 1;
        this.#activations.of(agent, termination).add((performance.now() - startedAt) / 1_000);
      },
    };
  };

  /** In the text format of Prometheus. */
  print(): readonly string[] {
    const histograms = [this.#activations, this.#cost, this.#models, this.#tools];
    const counters = [this.#tokens, this.#spent, this.#attempts];
    return [
      "# TYPE reprise_runs_active gauge",
      `reprise_runs_active ${this.#open}`,
      ...histograms.flatMap((metric) => printMetric(metric, "histogram")),
      ...counters.flatMap((metric) => printMetric(metric, "counter")),
    ];
  }

  #time<Answer>(
    find: (outcome: string) => Histogram,
    outcomeOf: (answer: Answer) => string = () => "success",
  ): WorkObserver<Answer> {
    const startedAt = performance.now();
    return {
      end: (ending) => {
        const outcome = "answer" in ending ? outcomeOf(ending.answer) : "error";
        find(outcome).add((performance.now() - startedAt) / 1_000);
      },
    };
  }

  #count(agent: string, event: AgentEvent): void {
    if (event.type === "inference_complete") {
      const { model, usage = {} } = event.data;
      this.#tokens.of(agent, model, "input").add(usage.prompt_tokens ?? 0);
      this.#tokens.of(agent, model, "output").add(usage.completion_tokens ?? 0);
    }
    if (event.type !== "cost_recorded") return;
    const { provider, model, outcome, cost_microcents } = event.data;
    this.#attempts.of(provider, model, outcome).add(1);
    this.#spent.of(agent, provider, model).add(cost_microcents / MICROCENTS);
  }
}

function printMetric(metric: LabelledMetric<Histogram | Counter>, type: string): readonly string[] {
  const { name } = metric;
  const lines = metric.list().flatMap(([labels, series]) => series.print(name, labels));
  return lines.length === 0 ? [] : [`# TYPE ${name} ${type}`, ...lines];
}
