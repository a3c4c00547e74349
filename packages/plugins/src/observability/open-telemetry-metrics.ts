import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import { ATTRIBUTE_NAMES, type AttributeKey, type Conventions, METRICS, type MetricKey } from "./names.ts";

type Values = { readonly [Key in AttributeKey]?: string | boolean | undefined };

/** The instruments of one version of the conventions, each made when it is first needed. */
export class Instruments {
  readonly #meter: () => Meter;
  readonly #conventions: Conventions;
  readonly #made = new Map<MetricKey, (value: number, attributes: Attributes) => void>();

  constructor(meter: () => Meter, conventions: Conventions) {
    this.#meter = meter;
    this.#conventions = conventions;
  }

  /** Records a value, with the attributes that the table has for the metric. */
  record(key: MetricKey, value: number, values: Values): void {
    let add = this.#made.get(key);
    if (add === undefined) {
      add = this.#make(key);
      this.#made.set(key, add);
    }
    const attributes: Attributes = {};
    for (const attribute of METRICS[key].attributes) {
      const name = ATTRIBUTE_NAMES[this.#conventions][attribute];
      const given = values[attribute];
      if (name !== undefined && given !== undefined) attributes[name] = given;
    }
    add(value, attributes);
  }

  #make(key: MetricKey): (value: number, attributes: Attributes) => void {
    const { instrument, unit, buckets, says, ...row } = METRICS[key];
    const name = row[this.#conventions];
    if (name === undefined) return () => undefined;
    const description = says;
    if (instrument === "counter") {
      const counter: Counter = this.#meter().createCounter(name, { unit, description });
      return (value, attributes) => counter.add(value, attributes);
    }
    const advice = buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };
    const histogram: Histogram = this.#meter().createHistogram(name, { unit, description, ...advice });
    return (value, attributes) => histogram.record(value, attributes);
  }
}
