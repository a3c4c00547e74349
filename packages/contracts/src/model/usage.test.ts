import { describe, expect, it } from "vitest";
import { believableUsage } from "./usage.ts";

describe("issue 14.39: usage that cannot be true is unknown", () => {
  it("passes on usage that can be true", () => {
    const usage = { prompt_tokens: 0, completion_tokens: 128_000 };
    expect(believableUsage(usage)).toEqual(usage);
    expect(believableUsage(undefined)).toEqual({});
  });

  it.each([-1e9, -1, 1e15, Number.NaN, Number.POSITIVE_INFINITY])(
    "takes all of it for unknown when a count is %d",
    (count) => {
      expect(believableUsage({ prompt_tokens: count, completion_tokens: 5 })).toEqual({});
      expect(believableUsage({ prompt_tokens: 5, cache_read_tokens: count })).toEqual({});
    },
  );
});
