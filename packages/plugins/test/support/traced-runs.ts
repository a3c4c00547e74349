import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, metrics, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { onTestFinished } from "vitest";

/** What the Node SDK registers: the active span follows the code through its promises. */
class AsyncContextManager implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Run extends (...args: Args) => ReturnType<Run>>(
    active: Context,
    run: Run,
    thisArg?: ThisParameterType<Run>,
    ...args: Args
  ): ReturnType<Run> {
    return this.#storage.run(active, () => run.call(thisArg, ...args));
  }

  bind<Target>(_: Context, target: Target): Target {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

export interface Tracing {
  /** The spans that ended: each before those below it, siblings in the order of their beginning. */
  spans(): readonly ReadableSpan[];
  /** The one span with a name. */
  span(name: string): ReadableSpan;
  /** The values of a metric: counts or sums, by attributes. */
  metric(name: string): Promise<readonly { readonly attributes: object; readonly value: unknown }[]>;
  flush(): Promise<void>;
}

/** Registers a real OpenTelemetry SDK for a test, as a host does. */
export function registerTracing(more: readonly SpanProcessor[] = []): Tracing {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter }), ...more] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  trace.setGlobalTracerProvider(provider);
  metrics.setGlobalMeterProvider(meters);
  context.setGlobalContextManager(new AsyncContextManager());
  onTestFinished(async () => {
    trace.disable();
    metrics.disable();
    context.disable();
    await Promise.allSettled([provider.shutdown(), meters.shutdown()]);
  });
  const spans = (): readonly ReadableSpan[] => flatten(treesOf(exporter.getFinishedSpans()));
  return {
    spans,
    span: (name) => {
      const [found, ...others] = spans().filter((span) => span.name === name);
      if (found === undefined || others.length > 0) {
        throw new Error(`Not one span ${name}: ${spans().map((span) => span.name)}`);
      }
      return found;
    },
    metric: async (name) => {
      await reader.forceFlush();
      const found = metricExporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics)
        .find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ attributes, value }) => ({ attributes, value }));
    },
    flush: () => provider.forceFlush(),
  };
}

export function timeOf([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

interface SpanTree {
  readonly span: ReadableSpan;
  readonly below: readonly SpanTree[];
}

function treesOf(spans: readonly ReadableSpan[]): readonly SpanTree[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const parentOf = ({ parentSpanContext }: ReadableSpan): string => {
    const id = parentSpanContext?.spanId ?? "";
    return ids.has(id) ? id : "";
  };
  const below = (parent: string): readonly SpanTree[] =>
    spans
      .filter((span) => parentOf(span) === parent)
      .toSorted(
        (one, other) => timeOf(one.startTime) - timeOf(other.startTime) || timeOf(one.endTime) - timeOf(other.endTime),
      )
      .map((span) => ({ span, below: below(span.spanContext().spanId) }));
  return below("");
}

function flatten(trees: readonly SpanTree[]): readonly ReadableSpan[] {
  return trees.flatMap(({ span, below }) => [span, ...flatten(below)]);
}

/** Spans as a tree of names. */
export function treeOf(spans: readonly ReadableSpan[]): readonly unknown[] {
  const nameTree = ({ span, below }: SpanTree): unknown =>
    below.length === 0 ? span.name : [span.name, below.map(nameTree)];
  return treesOf(spans).map(nameTree);
}
