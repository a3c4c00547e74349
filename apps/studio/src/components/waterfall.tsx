import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { buildRows, type WaterfallRow } from "../log/build-lanes.ts";
import type { Span, SpanKind } from "../log/build-spans.ts";
import { IconButton } from "../parts/button.tsx";
import { classNames } from "../parts/class-names.ts";
import { formatCost, formatCount, formatDuration } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";

const COLOURS: Readonly<Record<SpanKind, string>> = {
  step: "bg-run",
  attempt: "bg-accent",
  tool: "bg-change",
  wait: "hatched bg-wait-ground",
  run: "bg-line-strong",
};

const LEGEND = [
  ["bg-run", "model"],
  ["bg-good", "tool that reads"],
  ["bg-change", "tool that changes"],
  ["hatched bg-wait-ground", "wait"],
] as const;

const ROW = 26;
const ZOOMS = [1, 2, 4, 8, 16, 32, 64];
const NAME = "w-36 md:w-48";

interface WaterfallProps {
  readonly spans: readonly Span[];
  /** The tools that only read: several of them run at a time. */
  readonly readers?: ReadonlySet<string>;
  readonly seq?: number | undefined;
  readonly selected?: Span | undefined;
  readonly select?: ((span: Span) => void) | undefined;
  readonly openRun?: ((runId: string) => void) | undefined;
}

/** A run over time: steps, attempts, tools, waits, and the runs below it, each in a lane of its own. */
export function Waterfall({ spans, readers, seq, selected, select, openRun }: WaterfallProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(0);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => buildRows(spans, opened), [spans, opened]);
  const rows = useVirtualizer({
    count: all.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const [from, to] = useMemo(() => extentOf(spans), [spans]);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    // A wheel with the key for zooming belongs to the waterfall, not to the page.
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      setZoom((before) => Math.max(0, Math.min(ZOOMS.length - 1, before - Math.sign(event.deltaY))));
    };
    current.addEventListener("wheel", onWheel, { passive: false });
    return () => current.removeEventListener("wheel", onWheel);
  }, []);
  const factor = ZOOMS[zoom] ?? 1;
  const share = (time: number): string => `${((time - from) / (to - from)) * 100}%`;
  const ticks = Array.from({ length: 4 * factor + 1 }, (_, at) => from + ((to - from) * at) / (4 * factor));
  const toggle = (runId: string): void => {
    const next = new Set(opened);
    if (!next.delete(runId)) next.add(runId);
    setOpened(next);
  };
  return (
    <section aria-label="Waterfall" className="flex flex-col border-t border-line">
      <header className="flex items-center gap-3 px-3 py-1.5">
        <h2 className="text-sm font-semibold">Waterfall</h2>
        <ul className="flex min-w-0 flex-1 flex-wrap gap-x-3 text-xs text-faint">
          {LEGEND.map(([look, word]) => (
            <li key={word} className="flex items-center gap-1">
              <span className={classNames("size-2.5 rounded-xs", look)} />
              {word}
            </li>
          ))}
        </ul>
        <IconButton icon="minus" label="Zoom out" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)} />
        <IconButton
          icon="plus"
          label="Zoom in"
          disabled={zoom === ZOOMS.length - 1}
          onClick={() => setZoom(zoom + 1)}
        />
      </header>
      {spans.length === 0 && <p className="px-3 pb-3 text-sm text-faint">Nothing took time yet.</p>}
      <div
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label="Spans"
        className={classNames("max-h-[28rem] overflow-auto border-t border-line", spans.length === 0 && "hidden")}
      >
        <div className="relative min-w-full" style={{ width: `${factor * 100}%` }}>
          <div
            aria-hidden="true"
            className="sticky top-0 z-20 flex h-6 border-b border-line bg-ground text-xs text-faint tabular-nums"
          >
            <span className={classNames("sticky left-0 z-10 shrink-0 bg-ground", NAME)} />
            <span className="relative mr-20 min-w-0 flex-1">
              {ticks.map((time, at) => (
                <span
                  key={time}
                  style={{ left: share(time) }}
                  className={classNames(
                    "absolute top-1 border-l border-line pl-1",
                    at === ticks.length - 1 && "hidden",
                  )}
                >
                  {formatDuration(time - from)}
                </span>
              ))}
            </span>
          </div>
          <ol className="relative" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start, key }) => {
              const row = all[index];
              if (row === undefined) return null;
              return (
                <li
                  key={key}
                  className={classNames(
                    "absolute left-0 flex w-full items-center hover:bg-hover",
                    row.depth === 0 && seq !== undefined && (row.bars[0]?.seq ?? 0) > seq && "later",
                  )}
                  style={{ transform: `translateY(${start}px)`, height: ROW }}
                >
                  <Name row={row} isOpen={opened.has(row.id)} toggle={toggle} select={select} />
                  <span className="relative h-full min-w-0 flex-1">
                    {row.bars.map((bar) => (
                      <Bar
                        key={bar.id}
                        bar={bar}
                        left={share(bar.from)}
                        width={`${((bar.to - bar.from) / (to - from)) * 100}%`}
                        firstToken={bar.firstToken === undefined ? undefined : share(bar.firstToken)}
                        isReader={bar.tool !== undefined && readers?.has(bar.tool) === true}
                        isSelected={bar === selected}
                        select={select}
                      />
                    ))}
                  </span>
                  <span className="flex w-20 shrink-0 items-center justify-end gap-1 pr-3 text-xs text-faint tabular-nums">
                    {formatDuration(row.to - row.from)}
                    {row.laneOf !== undefined && openRun !== undefined && (
                      <button
                        type="button"
                        aria-label={`Open the run of ${row.label}`}
                        onClick={() => openRun(row.id)}
                        className="rounded-sm text-accent hover:bg-ground"
                      >
                        <Icon name="send" size={12} />
                      </button>
                    )}
                  </span>
                </li>
              );
            })}
          </ol>
        </div>
      </div>
    </section>
  );
}

function Name({
  row,
  isOpen,
  toggle,
  select,
}: {
  readonly row: WaterfallRow;
  readonly isOpen: boolean;
  readonly toggle: (runId: string) => void;
  readonly select: ((span: Span) => void) | undefined;
}): ReactNode {
  const [bar] = row.bars;
  const isLane = row.laneOf !== undefined;
  return (
    <button
      type="button"
      aria-expanded={isLane ? isOpen : undefined}
      title={describe(row.label, row)}
      onClick={() => (isLane ? toggle(row.id) : bar !== undefined && select?.(bar))}
      className={classNames(
        "sticky left-0 z-10 flex h-full shrink-0 items-center gap-1 bg-ground pr-2 text-left text-xs",
        NAME,
      )}
      style={{ paddingLeft: 12 + row.depth * 12 }}
    >
      {isLane && (
        <Icon
          name="chevron"
          size={10}
          className={classNames("text-faint transition-transform duration-100", isOpen && "rotate-90")}
        />
      )}
      <span className={classNames("truncate", isLane && "font-medium", row.isFailed && "text-bad")}>{row.label}</span>
      {row.hidden !== undefined && (
        <span className="ml-1 shrink-0 rounded-full bg-raised px-1.5 text-faint tabular-nums">+{row.hidden}</span>
      )}
    </button>
  );
}

function Bar({
  bar,
  left,
  width,
  firstToken,
  isReader,
  isSelected,
  select,
}: {
  readonly bar: Span;
  readonly left: string;
  readonly width: string;
  readonly firstToken: string | undefined;
  readonly isReader: boolean;
  readonly isSelected: boolean;
  readonly select: ((span: Span) => void) | undefined;
}): ReactNode {
  return (
    <>
      <button
        type="button"
        tabIndex={-1}
        aria-label={describe(bar.label, bar)}
        title={describe(bar.label, bar)}
        onClick={() => select?.(bar)}
        className={classNames(
          "absolute top-1.5 h-3.5 min-w-0.5 rounded-xs",
          bar.isFailed ? "bg-bad" : isReader ? "bg-good" : COLOURS[bar.kind],
          bar.isOpen && "animate-pulse",
          isSelected && "outline-2 outline-offset-1 outline-ink",
        )}
        style={{ left, width }}
      />
      {firstToken !== undefined && (
        <span
          title={`First token after ${formatDuration((bar.firstToken ?? 0) - bar.from)}`}
          className="pointer-events-none absolute top-1 h-4.5 w-0.5 bg-ink"
          style={{ left: firstToken }}
        />
      )}
    </>
  );
}

function describe(
  label: string,
  {
    from,
    to,
    tokens = 0,
    costMicrocents = 0,
    firstToken,
  }: {
    readonly from: number;
    readonly to: number;
    readonly tokens?: number;
    readonly costMicrocents?: number;
    readonly firstToken?: number;
  },
): string {
  return [
    label,
    formatDuration(to - from),
    firstToken === undefined ? "" : `first token after ${formatDuration(firstToken - from)}`,
    tokens > 0 ? `${formatCount(tokens)} tokens` : "",
    costMicrocents > 0 ? formatCost(costMicrocents) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

function extentOf(spans: readonly Span[]): readonly [from: number, to: number] {
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  for (const span of spans) {
    from = Math.min(from, span.from);
    to = Math.max(to, span.to);
  }
  return [from, Math.max(to, from + 1)];
}
