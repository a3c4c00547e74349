import type { TokenUsage } from "@reprise/contracts";
import type { ProviderFields, WrittenUsage } from "./ai-sdk-model.ts";

/** What an answer took, in the same words for every version. */
export function readUsage(
  usage: WrittenUsage | undefined,
  metadata: ProviderFields | undefined,
): TokenUsage | undefined {
  if (usage === undefined) return undefined;
  const counts = typeof usage.inputTokens === "object" ? readBroken(usage) : readFlat(usage, metadata);
  const known = Object.entries(counts).filter(([, count]) => typeof count === "number" && Number.isFinite(count));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

type Counts = { readonly [Name in keyof TokenUsage]: number | undefined };

/** v3 and v4. */
function readBroken({ inputTokens, outputTokens }: WrittenUsage): Counts {
  const input = typeof inputTokens === "object" ? inputTokens : {};
  const output = typeof outputTokens === "object" ? outputTokens : {};
  return {
    prompt_tokens: input.total,
    completion_tokens: output.total,
    total_tokens: input.total === undefined || output.total === undefined ? undefined : input.total + output.total,
    cache_read_tokens: input.cacheRead,
    cache_creation_tokens: input.cacheWrite,
    thinking_tokens: output.reasoning,
  };
}

/** v2, where Anthropic's packages count what is cached apart from the prompt, and what is written to the cache only in passing. */
function readFlat(usage: WrittenUsage, metadata: ProviderFields | undefined): Counts {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } = usage;
  const written = metadata?.anthropic?.cacheCreationInputTokens;
  const created = typeof written === "number" ? written : undefined;
  const input = typeof inputTokens === "number" ? inputTokens : undefined;
  const apart = metadata?.anthropic === undefined ? 0 : (cachedInputTokens ?? 0) + (created ?? 0);
  return {
    prompt_tokens: input === undefined ? undefined : input + apart,
    completion_tokens: typeof outputTokens === "number" ? outputTokens : undefined,
    total_tokens: totalTokens === undefined ? undefined : totalTokens + apart,
    cache_read_tokens: cachedInputTokens,
    cache_creation_tokens: created,
    thinking_tokens: reasoningTokens,
  };
}
