/** The figures of many times, in milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly count: number;
}

export function summarize(times: readonly number[]): Times {
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    most: quantile(times, 1),
    count: times.length,
  };
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}
