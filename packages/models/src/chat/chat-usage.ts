import type { TokenUsage } from "@reprise/contracts";
import type { ChatUsage } from "./chat-wire.ts";

/** What an answer took. Servers that do not count something say nothing, null or 0. */
export function readUsage(usage: ChatUsage): TokenUsage {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  return {
    ...counted("prompt_tokens", usage.prompt_tokens),
    ...counted("completion_tokens", usage.completion_tokens),
    ...counted("total_tokens", usage.total_tokens),
    ...counted("cache_read_tokens", cached),
    ...counted("cache_creation_tokens", usage.prompt_tokens_details?.cache_write_tokens),
    ...counted("thinking_tokens", usage.completion_tokens_details?.reasoning_tokens),
  };
}

function counted(name: keyof TokenUsage, count: number | null | undefined): TokenUsage {
  return typeof count === "number" && Number.isFinite(count) ? { [name]: count } : {};
}
