import type { ModelOptions, ReasoningLevel } from "../request/model-options.ts";
import { type AiSdkModel, type ProviderFields, rootOf } from "./ai-sdk-model.ts";

type Described = Pick<AiSdkModel, "provider" | "specificationVersion">;

/** How many tokens a level of thinking is, for providers that count. */
const BUDGETS: Readonly<Record<Exclude<ReasoningLevel, "none">, number>> = {
  low: 2048,
  medium: 8192,
  high: 16_384,
  max: 32_768,
};

/** What a request says to its provider alone. What the author of the request said goes before what is said here. */
export function writeProviderOptions(model: Described, options: ModelOptions): ProviderFields {
  const root = rootOf(model.provider);
  const own = {
    ...defaultsOf(model),
    ...writeReasoning(model, root, options.reasoning_effort),
    ...writeParallel(root, options.parallel_tool_calls),
    ...(root === "openai" && options.prompt_cache?.key !== undefined && { promptCacheKey: options.prompt_cache.key }),
  };
  const given = options.provider_options ?? {};
  if (Object.keys(own).length === 0) return given;
  return { ...given, [root]: { ...own, ...given[root] } };
}

/**
 * What a provider kept for us would be gone after a month, and a thread may be older: it keeps nothing, and thoughts come back
 * encrypted with the messages.
 */
function defaultsOf({ provider }: Described): object {
  return provider === "openai.responses" ? { store: false } : {};
}

/** v4 has a field for a level; older versions, and numbers of tokens, go by provider. */
function writeReasoning(model: Described, root: string, effort: ModelOptions["reasoning_effort"]): object {
  if (effort === undefined) return {};
  if (typeof effort === "string" && model.specificationVersion === "v4") return {};
  const budget = typeof effort === "object" ? effort.budget : effort === "none" ? 0 : BUDGETS[effort];
  switch (root) {
    case "openai":
      return typeof effort === "object" ? {} : { reasoningEffort: effort === "max" ? "high" : effort };
    case "anthropic":
      return { thinking: budget === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens: budget } };
    case "google":
      return { thinkingConfig: { thinkingBudget: budget, includeThoughts: budget > 0 } };
    case "bedrock":
      return { reasoningConfig: budget === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens: budget } };
    default:
      return {};
  }
}

function writeParallel(root: string, isParallel: boolean | undefined): object {
  if (isParallel === undefined) return {};
  if (root === "openai") return { parallelToolCalls: isParallel };
  return root === "anthropic" ? { disableParallelToolUse: !isParallel } : {};
}
