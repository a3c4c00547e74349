import type { AgentSpec, ContextPolicy, ContextWindow, ModelSpec } from "@reprise/contracts";
import { unresolvable } from "./resolve-errors.ts";

const DEFAULT_CONTEXT_TOKENS = 200_000;
const DEFAULT_OUTPUT_TOKENS = 16_384;
const DEFAULT_RECENT_MESSAGES = 10;
const DEFAULT_RAW_SUFFIX = 2;

/**
 * The window of an agent with a context policy: what the policy says, as far as the model goes. Undefined for an agent without one.
 * A policy that leaves nothing for the request is refused here, before any run.
 */
export function readContextWindow(spec: AgentSpec, model: ModelSpec | undefined): ContextWindow | undefined {
  return spec.context_policy === undefined ? undefined : windowOf(spec, spec.context_policy, model);
}

/** The same for plugins: of an agent without a policy, what its model has room for; undefined when it is unknown. */
export function findContextWindow(spec: AgentSpec, model: ModelSpec | undefined): ContextWindow | undefined {
  if (spec.context_policy === undefined && model?.context_window === undefined) return undefined;
  return windowOf(spec, spec.context_policy ?? {}, model);
}

function windowOf(spec: AgentSpec, policy: ContextPolicy, model: ModelSpec | undefined): ContextWindow {
  const tokens = Math.min(policy.max_context_tokens ?? DEFAULT_CONTEXT_TOKENS, model?.context_window ?? Infinity);
  const outputTokens = outputOf(policy, tokens, model?.max_output_tokens);
  if (outputTokens >= tokens) {
    const problem = `\`context_policy.max_output_tokens\` is ${outputTokens}, which leaves nothing of a window of ${tokens} tokens.`;
    throw unresolvable("INVALID_AGENT_SPEC", spec.id, problem, { field: "context_policy.max_output_tokens" });
  }
  const threshold = policy.autocompact_threshold ?? Infinity;
  return {
    tokens,
    outputTokens,
    minRecentMessages: policy.min_recent_messages ?? DEFAULT_RECENT_MESSAGES,
    isCached: policy.enable_prompt_cache ?? true,
    ...(threshold <= tokens - outputTokens && { autocompactThreshold: threshold }),
    compactionMode: policy.compaction_mode ?? "keep_recent_raw_suffix",
    compactionRawSuffixMessages: policy.compaction_raw_suffix_messages ?? DEFAULT_RAW_SUFFIX,
  };
}

/** An explicit limit is taken as it is, up to what the model can write; without one, at most half of a small window is reserved. */
function outputOf({ max_output_tokens: said }: ContextPolicy, window: number, most = Infinity): number {
  return Math.min(said ?? Math.min(DEFAULT_OUTPUT_TOKENS, Math.floor(window / 2)), most);
}
