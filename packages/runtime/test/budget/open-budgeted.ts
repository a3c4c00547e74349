import type { Budget, BudgetPolicy, Env, Store, Tool } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type Runtime, type RuntimeOptions } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { onTestFinished } from "vitest";

/** A token costs a hundred microcents, read or written; an answer has at most fifty. */
export const PRICE = 100;
export const MAX_OUTPUT = 50;

export const start = { agent: "agent", threadId: "t1", input: "go" } as const;

export const look: Tool = defineTool({
  id: "look",
  description: "Looks.",
  class: "read_only",
  inputSchema: {},
  execute: () => "seen",
});

export interface Budgeted {
  readonly runtime: Runtime;
  readonly model: ScriptedModel;
  readonly env: Env;
  readonly store: Store;
  /** The budget of a run as it is stored. */
  budgetOf(runId: string): Promise<Budget>;
}

export interface BudgetedOptions extends Partial<Pick<RuntimeOptions, "store" | "beforeModelAttempt" | "limits">> {
  readonly env?: Env;
  readonly budget?: BudgetPolicy;
  readonly isUnpriced?: boolean;
  /** How many tokens an answer of the model may have. */
  readonly maxOutput?: number;
  readonly tools?: Parameters<typeof defineAgent>[0]["tools"];
  readonly agent?: Partial<Parameters<typeof defineAgent>[0]>;
}

/** A runtime whose one agent has a model with a price. */
export async function openBudgeted(script: Script, options: BudgetedOptions = {}): Promise<Budgeted> {
  const env = options.env ?? createFakeEnv();
  const store = options.store ?? createMemoryStore({ clock: env.clock });
  const model = scriptedModel(script, "m");
  const pricing = options.isUnpriced === true ? {} : { pricing: { input_per_million: 1, output_per_million: 1 } };
  const runtime = await createRuntime({
    env,
    store,
    blobs: createMemoryBlobStore(env),
    models: [{ id: "p/m", provider: "p", model: "m", max_output_tokens: options.maxOutput ?? MAX_OUTPUT, ...pricing }],
    providers: [{ id: "p", model: () => model }],
    agents: [
      defineAgent({
        id: "agent",
        model: "p/m",
        ...options.agent,
        tools: options.tools ?? [],
        ...(options.budget !== undefined && { budget: options.budget }),
      }),
    ],
    limits: { closeTimeoutMs: 1, ...options.limits },
    ...(options.beforeModelAttempt !== undefined && { beforeModelAttempt: options.beforeModelAttempt }),
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const budgetOf = async (runId: string): Promise<Budget> => {
    const document = await store.forTenant("default").loadDocument("budget", runId);
    if (document === undefined) throw new Error(`Run ${runId} has spent nothing.`);
    // Written by the runtime, which keeps budgets under this kind.
    return document.body as unknown as Budget;
  };
  return { runtime, model, env, store, budgetOf };
}

/** An answer that took so many tokens. */
export function answer(text: string, tokens: number) {
  return [{ text }, { usage: { promptTokens: tokens - 1, completionTokens: 1 } }] as const;
}
