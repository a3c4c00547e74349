import type { ModelRequest } from "@reprise/contracts";
import type { PromptCache } from "../request/model-options.ts";
import { type AiSdkModel, type ProviderFields, rootOf } from "./ai-sdk-model.ts";
import type { WrittenPrompt } from "./write-prompt.ts";

/** A provider takes no more marks than this in one request. */
const MOST_MARKS = 4;

/** Marks the beginning of a request that a provider should cache for the next one. */
export interface CacheMarks {
  /** What to write there, for this provider alone. */
  readonly mark: ProviderFields;
  /** The messages of the prompt to mark, by index. */
  readonly messages: ReadonlySet<number>;
  /** Whether the last tool is marked, where there is no system prompt behind it to mark. */
  readonly isLastToolMarked: boolean;
}

/**
 * Finds the marks of a request: where it says so itself, or, when only its options ask for a cache, after the system prompt, which has
 * the tools before it, and after the last message. Undefined for providers that keep what they keep by themselves.
 */
export function findCacheMarks(
  model: Pick<AiSdkModel, "provider">,
  { cache_breakpoints: breakpoints }: Pick<ModelRequest, "cache_breakpoints">,
  { messages, positions }: WrittenPrompt,
  cache: PromptCache | undefined,
): CacheMarks | undefined {
  const mark =
    cache === undefined && breakpoints === undefined ? undefined : markOf(rootOf(model.provider), cache ?? {});
  if (mark === undefined) return undefined;
  const system = messages.findIndex(({ role }) => role === "system");
  const wanted = (breakpoints ?? [{ after: "system" } as const, { after: "end" } as const]).map((point) => {
    if (point.after === "message") return positions.get(point.message_id) ?? -1;
    return point.after === "system" ? system : messages.length - 1;
  });
  const isPrefixMarked = breakpoints?.some(({ after }) => after === "system") ?? true;
  const isLastToolMarked = isPrefixMarked && system === -1;
  const most = isLastToolMarked ? MOST_MARKS - 1 : MOST_MARKS;
  // The first is good for the longest time; of the others the later ones keep more.
  const [first, ...others] = [...new Set(wanted)].filter((index) => index >= 0);
  return { mark, messages: new Set(first === undefined ? [] : [first, ...others.slice(1 - most)]), isLastToolMarked };
}

function markOf(root: string, { ttl }: PromptCache): ProviderFields | undefined {
  if (root === "anthropic")
    return { anthropic: { cacheControl: { type: "ephemeral", ...(ttl !== undefined && { ttl }) } } };
  return root === "bedrock"
    ? { bedrock: { cachePoint: { type: "default", ...(ttl !== undefined && { ttl }) } } }
    : undefined;
}
