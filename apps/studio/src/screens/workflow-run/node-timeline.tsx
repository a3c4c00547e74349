import { type ReactNode, useEffect, useState } from "react";
import type { NodeView } from "../../log/fold-nodes.ts";
import { classNames } from "../../parts/class-names.ts";
import { formatCost, formatDuration } from "../../parts/format.ts";
import { Empty } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";

const BARS: Readonly<Record<string, string>> = {
  running: "bg-run",
  "needs approval": "hatched bg-wait-ground",
  waiting: "hatched bg-wait-ground",
  done: "bg-good",
  failed: "bg-bad",
};

interface NodeTimelineProps {
  readonly nodes: ReadonlyMap<string, NodeView>;
  readonly selected: string | undefined;
  readonly select: (place: string) => void;
}

/** The nodes of a run over time, every instance and attempt, in the order in which they began. */
export function NodeTimeline({ nodes, selected, select }: NodeTimelineProps): ReactNode {
  const began = [...nodes.values()]
    .flatMap((node) =>
      node.startedAt === undefined || node.word === "skipped" ? [] : [{ ...node, startedAt: node.startedAt }],
    )
    .toSorted((one, other) => one.startedAt - other.startedAt);
  const isOpen = began.some(({ endedAt }) => endedAt === undefined);
  const now = useNow(isOpen);
  if (began.length === 0)
    return (
      <Empty icon="clock" title="No node has begun">
        Nodes appear here as they begin.
      </Empty>
    );
  const from = began[0]?.startedAt ?? now;
  const to = Math.max(from + 1, ...began.map(({ endedAt }) => endedAt ?? now));
  const share = (time: number): number => ((time - from) / (to - from)) * 100;
  return (
    <div tabIndex={0} role="region" aria-label="Nodes over time" className="h-full overflow-auto">
      <p className="sticky top-0 z-10 flex justify-between border-b border-line bg-ground px-3 py-1 text-xs text-faint tabular-nums">
        <span>0</span>
        <span>{formatDuration(to - from)}</span>
      </p>
      <ol>
        {began.map((node) => (
          <li key={node.id}>
            <button
              type="button"
              aria-pressed={node.place === selected}
              onClick={() => select(node.place)}
              className={classNames(
                "grid w-full grid-cols-[minmax(90px,180px)_1fr_auto] items-center gap-3 border-b border-line px-3 py-1.5 text-left hover:bg-hover",
                node.place === selected && "bg-hover",
              )}
            >
              <span className="truncate font-mono text-xs">{node.id}</span>
              <span className="relative h-4">
                {barsOf(node, now).map((bar) => (
                  <span
                    key={bar.from}
                    className={classNames("absolute top-0.5 h-3 min-w-1 rounded-xs", BARS[bar.word])}
                    style={{ left: `${share(bar.from)}%`, width: `${share(bar.to) - share(bar.from)}%` }}
                  />
                ))}
              </span>
              <span className="flex w-40 items-center justify-end gap-2 text-xs text-faint tabular-nums">
                {node.costMicrocents > 0 && <span>{formatCost(node.costMicrocents)}</span>}
                <span>{formatDuration((node.endedAt ?? now) - node.startedAt)}</span>
                <Status word={node.word} className="!text-xs" />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** One bar for each attempt, in the colour of how it ended. */
function barsOf(
  { attempts, startedAt, endedAt, word }: NodeView,
  now: number,
): readonly { readonly from: number; readonly to: number; readonly word: string }[] {
  if (attempts.length === 0) return [{ from: startedAt ?? now, to: endedAt ?? now, word }];
  return attempts.map(({ from, to, error }, index) => ({
    from,
    to: to ?? now,
    word: index === attempts.length - 1 ? word : error === undefined ? "done" : "failed",
  }));
}

/** The time, every second while something goes on. */
function useNow(isLive: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isLive]);
  return now;
}
