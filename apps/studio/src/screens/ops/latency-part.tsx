import { type ReactNode, useEffect, useMemo, useState } from "react";
import {
  type Bucket,
  type Histogram,
  mergeBuckets,
  quantileIn,
  readHistograms,
  sinceBuckets,
} from "../../log/read-metrics.ts";
import { Chart } from "../../parts/chart.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { useMetrics } from "./ops-queries.ts";
import { Loaded, PartPage, Section, Table } from "./section.tsx";

interface Look {
  readonly at: number;
  readonly buckets: readonly Bucket[];
}

/** Percentiles are those of what was measured in this time before each look. */
const WINDOW_MS = 300_000;
const MAX_LOOKS = 720;
/** Kept as long as the page is open, so that going elsewhere and coming back loses nothing. */
let looks: readonly Look[] = [];

const formatSeconds = (seconds: number): string => formatDuration(seconds * 1_000);

/** How long models, tools and runs take, as this process has measured since it started. */
export function LatencyPart(): ReactNode {
  const metrics = useMetrics();
  const text = metrics.data ?? "";
  const models = useMemo(() => readHistograms(text, "reprise_model_turn_seconds"), [text]);
  const tools = useMemo(() => readHistograms(text, "reprise_tool_seconds"), [text]);
  const runs = useMemo(() => readHistograms(text, "reprise_run_activation_seconds"), [text]);
  return (
    <PartPage label="Operations, latency">
      <Section
        title="Models"
        about="From a request to the end of its answer. Percentiles of this process since it started."
      >
        <Loaded query={metrics}>
          {() => (
            <>
              <Percentiles histograms={models} at={metrics.dataUpdatedAt} />
              <Latencies
                label="Latency of models"
                histograms={models}
                names={["agent", "model"]}
                empty="No model was asked yet."
              />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Tools" about="From the start of a call to its result, without the time it waited for approval.">
        <Loaded query={metrics}>
          {() => (
            <Latencies
              label="Latency of tools"
              histograms={tools}
              names={["agent", "tool"]}
              empty="No tool was called yet."
            />
          )}
        </Loaded>
      </Section>
      <Section title="Runs" about="The time that a run is worked on, from one wait to the next.">
        <Loaded query={metrics}>
          {() => (
            <Latencies
              label="Time of runs"
              histograms={runs}
              names={["agent", "termination"]}
              empty="No run was worked on yet."
            />
          )}
        </Loaded>
      </Section>
    </PartPage>
  );
}

/** The percentiles over time, and how the measurements are spread. */
function Percentiles({
  histograms,
  at,
}: {
  readonly histograms: readonly Histogram[];
  readonly at: number;
}): ReactNode {
  const [seen, setSeen] = useState(looks);
  const merged = useMemo(() => mergeBuckets(histograms), [histograms]);
  useEffect(() => {
    if (at === 0 || looks.at(-1)?.at === at) return;
    looks = [...looks, { at, buckets: merged }].slice(-MAX_LOOKS);
    setSeen(looks);
  }, [at, merged]);
  const positions = useMemo(() => seen.map((look) => look.at / 1_000), [seen]);
  const lines = useMemo(() => {
    const recent = seen.map((look) => {
      // The first look has everything since the process started before it.
      const before = seen.findLast((each) => each.at <= look.at - WINDOW_MS);
      return before === undefined ? look.buckets : sinceBuckets(look.buckets, before.buckets);
    });
    const line = (label: string, colour: "run" | "wait" | "bad", share: number) => ({
      label,
      colour,
      values: recent.map((buckets) => quantileIn(buckets, share) ?? null),
    });
    return [line("p50", "run", 0.5), line("p95", "wait", 0.95), line("p99", "bad", 0.99)];
  }, [seen]);
  const spread = useMemo(() => spreadOf(merged), [merged]);
  // A line needs two looks with something measured between them.
  const isCollecting = lines.every(({ values }) => values.filter((value) => value !== null).length < 2);
  if ((merged.at(-1)?.[1] ?? 0) === 0) return null;
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <figure className="min-w-0 rounded-lg border border-line p-3">
        <figcaption className="pb-1 text-xs text-faint">
          Percentiles of the last five minutes, while this page is open
        </figcaption>
        {isCollecting ? (
          <p role="status" className="flex h-[206px] items-center justify-center text-sm text-faint">
            Collecting: the line begins with the next figures.
          </p>
        ) : (
          <Chart
            label="Percentiles of model latency over time"
            positions={positions}
            lines={lines}
            format={formatSeconds}
          />
        )}
      </figure>
      <figure className="min-w-0 rounded-lg border border-line p-3">
        <figcaption className="pb-1 text-xs text-faint">Answers by how long they took</figcaption>
        <Chart
          label="Answers by how long they took"
          positions={spread.positions}
          lines={spread.lines}
          format={formatCount}
          formatPosition={spread.name}
          isTime={false}
          isBars
          height={206}
        />
      </figure>
    </div>
  );
}

/** How many measurements each bucket has, from the first that has some to the last. */
function spreadOf(buckets: readonly Bucket[]) {
  const own = buckets.map(([limit, count], index) => [limit, count - (buckets[index - 1]?.[1] ?? 0)] as const);
  const first = own.findIndex(([, count]) => count > 0);
  const last = own.findLastIndex(([, count]) => count > 0);
  const shown = own.slice(Math.max(first - 1, 0), last + 2);
  const name = (position: number): string => {
    const [limit] = shown[position] ?? [];
    if (limit === undefined) return "";
    return Number.isFinite(limit) ? `≤ ${formatSeconds(limit)}` : "longer";
  };
  return {
    positions: shown.map((_, index) => index),
    lines: [{ label: "Answers", colour: "accent" as const, values: shown.map(([, count]) => count) }],
    name,
  };
}

const OUTCOMES = new Set(["success", "succeeded"]);

function Latencies({
  label,
  histograms,
  names: [first, second],
  empty,
}: {
  readonly label: string;
  readonly histograms: readonly Histogram[];
  readonly names: readonly [string, string];
  readonly empty: string;
}): ReactNode {
  return (
    <Table
      label={label}
      empty={empty}
      columns={[
        { name: first },
        { name: second },
        { name: "Count", isNumber: true },
        ...["p50", "p95", "p99"].map((name) => ({ name, isNumber: true })),
      ]}
      rows={histograms
        .toSorted((one, other) => other.count - one.count)
        .map(({ labels, count, quantile }) => {
          const outcome = labels.outcome ?? "";
          return {
            key: JSON.stringify(labels),
            cells: [
              labels[first],
              <span key="s" className="inline-flex items-center gap-2">
                <code className="font-mono text-xs">{labels[second]}</code>
                {outcome !== "" && !OUTCOMES.has(outcome) && <Status word="failed">{outcome}</Status>}
              </span>,
              formatCount(count),
              ...[0.5, 0.95, 0.99].map((share) => formatSeconds(quantile(share))),
            ],
          };
        })}
    />
  );
}
