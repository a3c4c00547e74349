import type { ContextPolicy, ModelSpec } from "@reprise/contracts";
import { readAgentSpec } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { readContextWindow } from "../../src/resolve/context-window.ts";

const windowOf = (context_policy: ContextPolicy, model: Partial<ModelSpec> = {}) =>
  readContextWindow(readAgentSpec({ id: "a", model: "m", context_policy }), {
    id: "m",
    provider: "p",
    model: "m",
    ...model,
  });

describe("what a policy comes to", () => {
  it("has its defaults", () => {
    expect(windowOf({})).toEqual({
      tokens: 200_000,
      outputTokens: 16_384,
      minRecentMessages: 10,
      isCached: true,
      compactionMode: "keep_recent_raw_suffix",
      compactionRawSuffixMessages: 2,
    });
  });

  it("is what it says", () => {
    const policy = {
      max_context_tokens: 1000,
      max_output_tokens: 900,
      min_recent_messages: 1,
      enable_prompt_cache: false,
      autocompact_threshold: 100,
      compaction_mode: "compact_to_safe_frontier" as const,
      compaction_raw_suffix_messages: 4,
    };
    expect(windowOf(policy)).toEqual({
      tokens: 1000,
      outputTokens: 900,
      minRecentMessages: 1,
      isCached: false,
      autocompactThreshold: 100,
      compactionMode: "compact_to_safe_frontier",
      compactionRawSuffixMessages: 4,
    });
  });

  it("has no threshold for compaction that lies beyond what a request may have", () => {
    const policy = { max_context_tokens: 1000, max_output_tokens: 900, autocompact_threshold: 101 };
    expect(windowOf(policy)).not.toHaveProperty("autocompactThreshold");
  });

  it("goes no further than the model", () => {
    const small = { context_window: 8192, max_output_tokens: 1024 };
    expect(windowOf({}, small)).toMatchObject({ tokens: 8192, outputTokens: 1024 });
    expect(windowOf({ max_context_tokens: 4096, max_output_tokens: 2048 }, small)).toMatchObject({
      tokens: 4096,
      outputTokens: 1024,
    });
    expect(windowOf({ max_context_tokens: 1e6 }, { context_window: 400_000 })).toMatchObject({ tokens: 400_000 });
  });

  it("leaves half of a small window for the request when no answer length is given", () => {
    expect(windowOf({ max_context_tokens: 4096 })).toMatchObject({ outputTokens: 2048 });
  });

  it("is nothing for an agent without one", () => {
    expect(readContextWindow(readAgentSpec({ id: "a", model: "m" }), undefined)).toBeUndefined();
  });
});

describe("a policy that is wrong names its field", () => {
  it.each([
    ["max_context_tokens", 0],
    ["max_output_tokens", "many"],
    ["min_recent_messages", 0],
    ["enable_prompt_cache", "yes"],
    ["autocompact_threshold", -1],
    ["compaction_mode", "summarise"],
    ["compaction_raw_suffix_messages", 1.5],
    ["max_contxt_tokens", 5],
  ])("%s: %j", (field, value) => {
    const reading = () => readAgentSpec({ id: "a", model: "m", context_policy: { [field]: value } });
    expect(reading).toThrow(expect.objectContaining({ code: "INVALID_AGENT_SPEC" }));
    expect(reading).toThrow(`\`context_policy\`.${field}`);
  });

  it("leaves nothing for the request", () => {
    const reading = () => windowOf({ max_output_tokens: 4096 }, { context_window: 4096 });
    expect(reading).toThrow(expect.objectContaining({ code: "INVALID_AGENT_SPEC" }));
    expect(reading).toThrow(
      "`context_policy.max_output_tokens` is 4096, which leaves nothing of a window of 4096 tokens.",
    );
  });
});

it("keeps what compaction will need as it is", () => {
  const context_policy = {
    autocompact_threshold: null,
    compaction_mode: "compact_to_safe_frontier",
    compaction_raw_suffix_messages: 0,
  };
  expect(readAgentSpec({ id: "a", model: "m", context_policy }).context_policy).toEqual(context_policy);
});
