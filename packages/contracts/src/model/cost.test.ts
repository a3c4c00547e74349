import { expect, it } from "vitest";
import { costOf } from "./cost.ts";

const PRICES = { input_per_million: 2, output_per_million: 8 };

it("counts in millionths of a cent", () => {
  // A million tokens in for two dollars are 2 * 100 cents * 1,000,000.
  expect(costOf({ prompt_tokens: 1_000_000 }, PRICES)).toEqual({ microcents: 200_000_000, priced: true });
  expect(costOf({ prompt_tokens: 10, completion_tokens: 5 }, PRICES)).toEqual({ microcents: 6_000, priced: true });
  expect(costOf({}, PRICES)).toEqual({ microcents: 0, priced: true });
});

it("has prices of their own for what is read from a cache and written to it", () => {
  const prices = { ...PRICES, cache_read_per_million: 0.5, cache_write_per_million: 3 };
  const usage = { prompt_tokens: 100, cache_read_tokens: 60, cache_creation_tokens: 30 };
  expect(costOf(usage, prices).microcents).toBe((10 * 2 + 60 * 0.5 + 30 * 3) * 100);
  expect(costOf(usage, PRICES).microcents).toBe(100 * 2 * 100);
});

it("is never less than nothing, whatever a provider counts", () => {
  expect(costOf({ prompt_tokens: 1, cache_read_tokens: 5 }, { ...PRICES, cache_read_per_million: 0 }).microcents).toBe(
    0,
  );
});

it("says when the price is unknown", () => {
  expect(costOf({ prompt_tokens: 5 }, undefined)).toEqual({ microcents: 0, priced: false });
  expect(costOf({ prompt_tokens: 5 }, {})).toEqual({ microcents: 0, priced: false });
});
