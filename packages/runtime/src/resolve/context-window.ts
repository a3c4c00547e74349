import type { AgentSpec, ContextPolicy, ModelSpec } from "@reprise/contracts";
import { unresolvable } from "./resolve-errors.ts";

/** What a request of an agent has to fit into. */
export interface ContextWindow {
  /** Tokens a model reads and writes together. */
  readonly tokens: number;
  /** Of these, kept free for its answer. */
  readonly outputTokens: number;
  /** Messages at the end that are never left out. */
  readonly minRecentMessages: number;
  readonly isCached: boolean;
}

const DEFAULT_CONTEXT_TOKENS = 200_000;
const DEFAULT_OUTPUT_TOKENS = 16_384;
const DEFAULT_RECENT_MESSAGES = 10;

/**
 * The window of an agent with a context policy: what the policy says, as far as the model goes. Undefined for an agent without one.
 * A policy that leaves nothing for the request is refused here, before any run.
 */
export function readContextWindow(spec: AgentSpec, model: ModelSpec | undefined): ContextWindow | undefined {
  const policy = spec.context_policy;
  if (policy === undefined) return undefined;
  const tokens = Math.min(policy.max_context_tokens ?? DEFAULT_CONTEXT_TOKENS, model?.context_window ?? Infinity);
  const outputTokens = outputOf(policy, tokens, model?.max_output_tokens);
  if (outputTokens >= tokens) {
    const problem = `\`context_policy.max_output_tokens\` is ${outputTokens}, which leaves nothing of a window of ${tokens} tokens.`;
    throw unresolvable("INVALID_AGENT_SPEC", spec.id, problem, { field: "context_policy.max_output_tokens" });
  }
  return {
    tokens,
    outputTokens,
    minRecentMessages: policy.min_recent_messages ?? DEFAULT_RECENT_MESSAGES,
    isCached: policy.enable_prompt_cache ?? true,
  };
}

/** What was said is taken as it is, up to what the model can write; what nobody said takes no more than half of a small window. */
function outputOf({ max_output_tokens: said }: ContextPolicy, window: number, most = Infinity): number {
  return Math.min(said ?? Math.min(DEFAULT_OUTPUT_TOKENS, Math.floor(window / 2)), most);
}
