import { describeThrown, ModelError, type ModelProvider, type ModelSpec } from "@reprise/contracts";
import type { ChainEntry } from "@reprise/runtime";
import type { AgentNode, NodeErrorCode, NodeRetry, WorkflowAgent } from "../document/workflow-document.ts";
import type { NodeFailure } from "../node/node-executor.ts";
import type { AgentRunnerDeps } from "./agent-runner-deps.ts";
import { modelCode, modelFailure, nodeFailure } from "./failure-ladder.ts";

/** One entry of a plan: a model at a provider of the host. */
export interface PlannedModel {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly maxAttempts: number;
  readonly backoff?: "linear" | "exponential";
  readonly backoffMs?: number;
  /** The failures after which it is asked again: those that are retryable, unless given. */
  readonly retryOn?: readonly NodeErrorCode[];
}

export type FallbackPlan =
  | { readonly ok: true; readonly primary: PlannedModel; readonly entries: readonly PlannedModel[] }
  | { readonly ok: false; readonly error: NodeFailure };

/**
 * Whom a node asks, in order: its own model as often as `retry` says, then the chain of its agent. What earlier attempts of the node have used of
 * `retry` is gone.
 */
export function planFallbacks(
  deps: Pick<AgentRunnerDeps, "resolveProvider">,
  node: Pick<AgentNode, "model" | "retry">,
  agent: WorkflowAgent,
  attemptNumber = 1,
): FallbackPlan {
  const retry = retryOf(node, agent);
  const links = [
    {
      provider: agent.provider,
      model: node.model ?? agent.model,
      maxAttempts: Math.max((retry?.max ?? 1) - (attemptNumber - 1), 1),
      ...(retry?.backoff !== undefined && { backoff: retry.backoff }),
      ...(retry?.backoff_ms !== undefined && { backoffMs: retry.backoff_ms }),
      ...(retry?.retry_on !== undefined && { retryOn: retry.retry_on }),
    },
    ...(agent.fallback_chain ?? []).map(({ provider, model, max_attempts: maxAttempts = 1 }) => ({
      provider,
      model,
      maxAttempts,
    })),
  ];
  const entries: PlannedModel[] = [];
  for (const { provider: id, ...link } of links) {
    const provider = deps.resolveProvider(id);
    if (provider === undefined) {
      return { ok: false, error: nodeFailure("internal", sayMissing(id)) };
    }
    entries.push({ provider, ...link });
  }
  const [primary] = entries;
  if (primary === undefined) throw new Error("A plan has at least its primary model.");
  return { ok: true, primary, entries };
}

/** How often an agent node is tried: its own word, or else its agent's. */
export function retryOf(
  { retry }: Pick<AgentNode, "retry">,
  agent: Pick<WorkflowAgent, "retry"> | undefined,
): NodeRetry | undefined {
  return retry ?? agent?.retry;
}

function sayMissing(id: string): string {
  return `The host has no provider ${JSON.stringify(id)}. Set its key, as in OPENAI_API_KEY for openai, or configure a provider of that id.`;
}

/** What is known of a model, as the chain and the prices read it. */
export function specOf({ provider, model }: Pick<PlannedModel, "provider" | "model">): ModelSpec | undefined {
  const described = provider.describe?.(model);
  return described === undefined
    ? undefined
    : { ...described, id: `${provider.id}/${model}`, provider: provider.id, model };
}

/** The entries of a chain, or why a provider cannot give its model. */
export function chainEntries(
  deps: Pick<AgentRunnerDeps, "onAuthError">,
  planned: readonly PlannedModel[],
):
  | { readonly ok: true; readonly entries: readonly ChainEntry[] }
  | { readonly ok: false; readonly error: NodeFailure } {
  const entries: ChainEntry[] = [];
  for (const entry of planned) {
    const { provider, model: name, maxAttempts, backoff, backoffMs, retryOn } = entry;
    try {
      const spec = specOf(entry);
      const refreshAuth = refreshOf(deps, provider);
      entries.push({
        provider: provider.id,
        name,
        model: provider.model(name),
        ...(spec !== undefined && { spec }),
        maxAttempts,
        ...(backoff !== undefined && { backoff }),
        ...(backoffMs !== undefined && { backoffMs }),
        ...(retryOn !== undefined && { isRetried: (error: ModelError) => isNamed(retryOn, error) }),
        ...(refreshAuth !== undefined && { refreshAuth }),
      });
    } catch (error) {
      return { ok: false, error: unavailable(provider.id, name, error) };
    }
  }
  return { ok: true, entries };
}

/** A key that was refused is never tried blindly: it is renewed, or it is not. */
function isNamed(retryOn: readonly NodeErrorCode[], { kind }: ModelError): boolean {
  return kind !== "auth" && retryOn.includes(modelCode(kind));
}

/** A provider that cannot give its model is a gap of the host, unless it says what is wrong in the words of a model. */
export function unavailable(provider: string, model: string, error: unknown): NodeFailure {
  if (ModelError.is(error)) return modelFailure(error);
  const reason = describeThrown(error);
  return nodeFailure("internal", `Provider ${provider} cannot give its model ${JSON.stringify(model)}: ${reason}`);
}

function refreshOf(
  { onAuthError }: Pick<AgentRunnerDeps, "onAuthError">,
  provider: ModelProvider,
): (() => Promise<boolean>) | undefined {
  if (onAuthError !== undefined) return () => onAuthError(provider.id);
  return provider.refreshAuth?.bind(provider);
}
