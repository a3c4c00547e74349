import { expect, it } from "vitest";
import { mergeBuckets, quantileIn, readHistograms, readSamples, sinceBuckets } from "./read-metrics.ts";

const TEXT = `# TYPE turns histogram
turns_bucket{agent="a",le="0.1"} 2
turns_bucket{agent="a",le="1"} 4
turns_bucket{agent="a",le="+Inf"} 4
turns_sum{agent="a"} 1.5
tokens{agent="a \\"b\\"",type="input"} 12
up 1
`;

it("reads samples with their labels", () => {
  expect(readSamples(TEXT, "tokens")).toEqual([{ labels: { agent: 'a "b"', type: "input" }, value: 12 }]);
  expect(readSamples(TEXT, "up")).toEqual([{ labels: {}, value: 1 }]);
});

it("estimates quantiles within the buckets", () => {
  const [turns] = readHistograms(TEXT, "turns");
  expect([turns?.labels, turns?.count, turns?.quantile(0.5), turns?.quantile(1)]).toEqual([{ agent: "a" }, 4, 0.1, 1]);
  expect(turns?.quantile(0.75)).toBeCloseTo(0.55);
});

it("tells what was measured between two looks, also after the process began anew", () => {
  const [turns] = readHistograms(TEXT, "turns");
  const now = turns?.buckets ?? [];
  const before = now.map(([limit, count]) => [limit, count / 2] as const);
  expect(sinceBuckets(now, before).map(([, count]) => count)).toEqual([1, 2, 2]);
  expect(sinceBuckets(before, now)).toBe(before);
  const merged = mergeBuckets(turns === undefined ? [] : [turns, turns]);
  expect(merged.map(([, count]) => count)).toEqual([4, 8, 8]);
  expect([quantileIn(merged, 0.5), quantileIn([], 0.5)]).toEqual([0.1, undefined]);
});
