/** What comes later than these many values of a label, or series of a metric, is counted as `other`: memory and scrapes stay bounded. */
const MAX_VALUES = 200;
const MAX_SERIES = 2_000;
const OTHER = "other";

/** The labels of one series, in a fixed order. */
type Labels = readonly string[];

/** A metric with one series for each combination of its labels. */
export class LabelledMetric<Series> {
  readonly name: string;
  readonly #labels: Labels;
  readonly #known: readonly Set<string>[];
  readonly #series = new Map<string, Series>();
  readonly #create: () => Series;

  constructor(name: string, labels: Labels, create: () => Series) {
    this.name = name;
    this.#labels = labels;
    this.#known = labels.map(() => new Set<string>());
    this.#create = create;
  }

  /** The series of these values, in the order of the labels. */
  of(...values: readonly string[]): Series {
    const key = this.#keyOf(values.map((value, index) => this.#bounded(index, value)));
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const isFull = this.#series.size >= MAX_SERIES;
    const rest = isFull ? this.#keyOf(values.map(() => OTHER)) : key;
    const series = this.#series.get(rest) ?? this.#create();
    this.#series.set(rest, series);
    return series;
  }

  /** Every series with its labels as Prometheus writes them, sorted. */
  list(): readonly (readonly [labels: string, series: Series])[] {
    return [...this.#series].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #keyOf(values: readonly string[]): string {
    return this.#labels.map((label, index) => `${label}="${escapeLabel(values[index] ?? "")}"`).join();
  }

  #bounded(index: number, value: string): string {
    const known = this.#known[index];
    if (known === undefined || known.has(value)) return value;
    if (known.size >= MAX_VALUES) return OTHER;
    known.add(value);
    return value;
  }
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Counts values by buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  print(name: string, labels: string): readonly string[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0;
      return `${name}_bucket{${labels},le="${bound}"} ${below}`;
    });
    return [
      ...buckets,
      `${name}_bucket{${labels},le="+Inf"} ${this.#count}`,
      `${name}_sum{${labels}} ${this.#sum}`,
      `${name}_count{${labels}} ${this.#count}`,
    ];
  }
}

/** A sum that only grows. */
export class Counter {
  #value = 0;

  add(value: number): void {
    this.#value += value;
  }

  print(name: string, labels: string): readonly string[] {
    return [`${name}{${labels}} ${this.#value}`];
  }
}
