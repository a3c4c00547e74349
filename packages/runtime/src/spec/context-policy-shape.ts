import type { ContextPolicy } from "@reprise/contracts";
import { flag, objectOf, oneOf, optional, type Shape, wholeNumberFrom } from "@reprise/contracts/shape";

const tokens = wholeNumberFrom(1);

/** Null is as good as leaving it out: nothing is compacted by itself. */
const threshold: Shape<number | null> = {
  says: `${tokens.says}, or null`,
  schema: { ...tokens.schema, type: ["integer", "null"] },
  problems: (value, path) => (value === null ? [] : tokens.problems(value, path)),
};

/** What a context policy may say. Those of compaction are checked and kept for the plugins that compact. */
export const CONTEXT_POLICY_SHAPE: Shape<ContextPolicy> = objectOf<ContextPolicy>({
  max_context_tokens: optional(tokens),
  max_output_tokens: optional(tokens),
  min_recent_messages: optional(wholeNumberFrom(1)),
  enable_prompt_cache: optional(flag),
  autocompact_threshold: optional(threshold),
  compaction_mode: optional(oneOf("keep_recent_raw_suffix", "compact_to_safe_frontier")),
  compaction_raw_suffix_messages: optional(wholeNumberFrom(0)),
});
