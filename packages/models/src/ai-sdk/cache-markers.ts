import type { PromptCache } from "../request/model-options.ts";
import { type AiSdkModel, type ProviderFields, rootOf } from "./ai-sdk-model.ts";
import type { PromptMessage } from "./write-prompt.ts";

/**
 * Marks where a provider is to keep the beginning of a request for the next one: after the system prompt, which has the tools
 * before it, and after the last message. Providers that keep it by themselves need no marks.
 */
export function markForCache(
  model: Pick<AiSdkModel, "provider">,
  prompt: readonly PromptMessage[],
  cache: PromptCache | undefined,
): readonly PromptMessage[] {
  const mark = cache === undefined ? undefined : markOf(rootOf(model.provider), cache);
  if (mark === undefined) return prompt;
  return prompt.map((message, index) =>
    message.role === "system" || index === prompt.length - 1 ? { ...message, providerOptions: mark } : message,
  );
}

function markOf(root: string, { ttl }: PromptCache): ProviderFields | undefined {
  if (root === "anthropic")
    return { anthropic: { cacheControl: { type: "ephemeral", ...(ttl !== undefined && { ttl }) } } };
  return root === "bedrock"
    ? { bedrock: { cachePoint: { type: "default", ...(ttl !== undefined && { ttl }) } } }
    : undefined;
}
