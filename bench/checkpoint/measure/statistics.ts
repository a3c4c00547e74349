export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle] ?? Number.NaN;
  return { median: (lower + upper) / 2, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}
