import { expect, it } from "vitest";
import { contextPolicyFor } from "./context-policy-for.ts";

it.each([
  ["openai/gpt-5", 400_000],
  ["gpt-5-2025-08-07", 400_000],
  ["gpt-4o", 128_000],
  ["anthropic/claude-sonnet-4-5", 170_000],
  ["claude", 850_000],
  ["gemini", 850_000],
  ["deepseek-chat", 108_800],
])("knows the window of %s", (model, maxContextTokens) => {
  const policy = contextPolicyFor(model);
  expect(policy).toMatchObject({ maxContextTokens, enablePromptCache: true });
  expect(policy.maxOutputTokens).toBe(model === "deepseek-chat" ? 8_192 : 16_384);
});

it.each(["openai/gpt-image-1", "anthropic/gpt-5", "llama", ""])("does not guess the window of %j", (model) => {
  expect(() => contextPolicyFor(model)).toThrow(/is unknown\. Write a context policy with maxContextTokens/);
});
