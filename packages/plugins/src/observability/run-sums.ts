import type { InferenceSpan, ModelStats, RunMetrics, ToolSpan, WorkStats } from "./metrics-sink.ts";

const NO_WORK: WorkStats = { count: 0, errors: 0, durationMs: 0 };
const NO_MODEL: ModelStats = { ...NO_WORK, inputTokens: 0, outputTokens: 0, costMicrocents: 0 };

/** Adds up what an activation did, by model and by tool. */
export class RunSums {
  readonly #models = new Map<string, ModelStats>();
  readonly #tools = new Map<string, WorkStats>();

  addInference({ model, errorType, durationMs, inputTokens = 0, outputTokens = 0 }: InferenceSpan): void {
    const before = this.#models.get(model) ?? NO_MODEL;
    this.#models.set(model, {
      ...addWork(before, errorType !== undefined, durationMs),
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
      costMicrocents: before.costMicrocents,
    });
  }

  addCost(model: string, microcents: number): void {
    const before = this.#models.get(model) ?? NO_MODEL;
    this.#models.set(model, { ...before, costMicrocents: before.costMicrocents + microcents });
  }

  addTool({ name, outcome, durationMs }: ToolSpan): void {
    // Its next execution counts it.
    if (outcome === "suspended") return;
    this.#tools.set(name, addWork(this.#tools.get(name) ?? NO_WORK, outcome === "failed", durationMs));
  }

  read(): Omit<
    RunMetrics,
    "runId" | "threadId" | "agentId" | "tenant" | "startedAt" | "durationMs" | "termination" | "errorType"
  > {
    const models = [...this.#models.values()];
    const sum = (of: (stats: ModelStats) => number): number => models.reduce((total, stats) => total + of(stats), 0);
    const inputTokens = sum((stats) => stats.inputTokens);
    const outputTokens = sum((stats) => stats.outputTokens);
    return {
      inferences: sum(({ count }) => count),
      toolCalls: [...this.#tools.values()].reduce((total, { count }) => total + count, 0),
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      costMicrocents: sum((stats) => stats.costMicrocents),
      models: Object.fromEntries(this.#models),
      tools: Object.fromEntries(this.#tools),
    };
  }
}

function addWork(before: WorkStats, isError: boolean, durationMs: number): WorkStats {
  return {
    count: before.count + 1,
    errors: before.errors + (isError ? 1 : 0),
    durationMs: before.durationMs + durationMs,
  };
}
