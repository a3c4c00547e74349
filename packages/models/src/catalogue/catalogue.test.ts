import { costOf } from "@reprise/contracts";
import { expect, it } from "vitest";
import { CATALOGUE, PRICES_READ } from "./catalogue.ts";
import { describeModel, findModel } from "./describe-model.ts";

it("names every model once, and has sensible figures for each", () => {
  expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
  for (const { id, provider, model, surface, context_window = 1e9, max_output_tokens = 1, pricing } of CATALOGUE) {
    expect(id).toBe(`${provider}/${model}`);
    if (surface === "generative") continue;
    expect(max_output_tokens).toBeLessThanOrEqual(context_window);
    const {
      input_per_million: input = 0,
      output_per_million: output = 0,
      cache_read_per_million: read = 0,
    } = pricing ?? {};
    expect(input).toBeGreaterThan(0);
    expect(output).toBeGreaterThan(input);
    expect(read).toBeLessThan(input);
  }
  expect(PRICES_READ).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});

it("knows dated versions by the model they are versions of", () => {
  expect(findModel("openai", "gpt-5-2025-08-07")?.id).toBe("openai/gpt-5");
  expect(findModel("anthropic", "claude-sonnet-4-5-20250929")?.id).toBe("anthropic/claude-sonnet-4-5");
  expect(findModel("openai", "gpt-5-mini")?.id).toBe("openai/gpt-5-mini");
});

it("describes models that make pictures, and leaves their price open, which depends on size and quality", () => {
  const made = CATALOGUE.filter(({ surface }) => surface === "generative");
  expect(made.length).toBeGreaterThan(0);
  for (const { provider, model } of made) {
    expect(describeModel(provider, model)).toEqual({
      surface: "generative",
      modalities: { input: ["text"], output: ["image"] },
    });
  }
});

it("describes what it knows, and prices nothing it does not know", () => {
  const known = describeModel("openai", "gpt-5");
  expect(known).toMatchObject({ context_window: 400_000, pricing: { input_per_million: 1.25 } });
  expect(known).not.toHaveProperty("id");
  expect(costOf({ prompt_tokens: 1_000_000 }, known?.pricing)).toEqual({ microcents: 125_000_000, priced: true });
  const unknown = describeModel("openai", "gpt-5-but-not-really");
  expect(unknown).toBeUndefined();
  expect(costOf({ prompt_tokens: 1_000_000 }, unknown?.pricing)).toEqual({ microcents: 0, priced: false });
});
