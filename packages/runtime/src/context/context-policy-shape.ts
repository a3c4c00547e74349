import { objectOf } from "../resolve/spec/object-shape.ts";
import { flag, oneOf, type Shape, wholeNumberFrom } from "../resolve/spec/shape.ts";

const tokens = wholeNumberFrom(1);

/** Null is as good as leaving it out: nothing is compacted by itself. */
const threshold: Shape = {
  says: `${tokens.says}, or null`,
  schema: { type: ["integer", "null"], minimum: 1 },
  problems: (value, at) => (value === null ? [] : tokens.problems(value, at)),
};

/** What a context policy may say. Those of compaction are checked and kept for the plugins that compact. */
export const CONTEXT_POLICY_SHAPE: Shape = objectOf({
  optional: {
    max_context_tokens: tokens,
    max_output_tokens: tokens,
    min_recent_messages: wholeNumberFrom(1),
    enable_prompt_cache: flag,
    autocompact_threshold: threshold,
    compaction_mode: oneOf("keep_recent_raw_suffix", "compact_to_safe_frontier"),
    compaction_raw_suffix_messages: wholeNumberFrom(0),
  },
});
