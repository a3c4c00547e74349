/** One number that a server counts, with what it is about. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Bucket = readonly [limit: number, count: number];

/** The distribution of something that was measured. */
export interface Histogram {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  /** How many measurements are at most as large as each limit. */
  readonly buckets: readonly Bucket[];
  /** The value that a share of the measurements is below, as far as the buckets say. */
  quantile(share: number): number;
}

/** The samples of one name in the text format of Prometheus. */
export function readSamples(text: string, name: string): readonly Sample[] {
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith(`${name}{`) && !line.startsWith(`${name} `)) return [];
    const end = line.lastIndexOf(" ");
    return [{ labels: readLabels(line.slice(name.length, end)), value: Number(line.slice(end + 1)) }];
  });
}

/** The labels of a sample: `{agent="a",model="m"}`. An escaped character of a value stands for itself. */
function readLabels(text: string): Readonly<Record<string, string>> {
  const labels: [string, string][] = [];
  let at = 1;
  for (let equals = text.indexOf("=", at); equals > 0; equals = text.indexOf("=", at)) {
    const key = text.slice(at, equals);
    let value = "";
    for (at = equals + 2; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === "\\") at += 1;
      value += text[at] ?? "";
    }
    labels.push([key, value]);
    // Behind the closing quote and the comma.
    at += 2;
  }
  return Object.fromEntries(labels);
}

/** The histograms of one name, one for each set of labels. */
export function readHistograms(text: string, name: string): readonly Histogram[] {
  const groups = new Map<
    string,
    { readonly labels: Sample["labels"]; readonly buckets: [limit: number, count: number][] }
  >();
  for (const { labels, value } of readSamples(text, `${name}_bucket`)) {
    const { le = "", ...rest } = labels;
    const key = JSON.stringify(rest);
    const group = groups.get(key) ?? { labels: rest, buckets: [] };
    group.buckets.push([le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value]);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ labels, buckets }) => {
    const count = buckets.at(-1)?.[1] ?? 0;
    return { labels, count, buckets, quantile: (share) => quantileOf(buckets, share * count) };
  });
}

/** Several distributions as one. They have the same limits, as those of one name do. */
export function mergeBuckets(histograms: readonly Pick<Histogram, "buckets">[]): readonly Bucket[] {
  const [first] = histograms;
  return (first?.buckets ?? []).map(([limit], index) => [
    limit,
    histograms.reduce((sum, { buckets }) => sum + (buckets[index]?.[1] ?? 0), 0),
  ]);
}

/** What was measured between two looks. A process that started anew counts from nothing again. */
export function sinceBuckets(now: readonly Bucket[], before: readonly Bucket[]): readonly Bucket[] {
  const isAnew = (now.at(-1)?.[1] ?? 0) < (before.at(-1)?.[1] ?? 0);
  return isAnew ? now : now.map(([limit, count], index) => [limit, count - (before[index]?.[1] ?? 0)]);
}

/** The value that a share of the measurements is below; undefined when nothing was measured. */
export function quantileIn(buckets: readonly Bucket[], share: number): number | undefined {
  const count = buckets.at(-1)?.[1] ?? 0;
  return count === 0 ? undefined : quantileOf(buckets, share * count);
}

/** Between the limits of the bucket that holds it, as if its measurements were spread evenly. */
function quantileOf(buckets: readonly Bucket[], rank: number): number {
  let [lower, below] = [0, 0];
  for (const [limit, count] of buckets) {
    if (count >= rank && count > below) {
      if (!Number.isFinite(limit)) return lower;
      return lower + (limit - lower) * ((rank - below) / (count - below));
    }
    [lower, below] = [limit, count];
  }
  return lower;
}
