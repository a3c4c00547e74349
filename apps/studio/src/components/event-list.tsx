import type { AgentEvent } from "@reprise/contracts";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { classNames } from "../parts/class-names.ts";
import { formatTime } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { JsonTree } from "./json-tree.tsx";

const ROW = 28;

interface EventListProps {
  readonly events: readonly AgentEvent[];
  /** How many there are: the list itself may grow without becoming another one. */
  readonly count: number;
  readonly seq?: number | undefined;
  readonly divergent?: number | undefined;
}

/** Every event of a run, as many as there are: only those in sight are drawn. */
export function EventList({ events, count, seq, divergent }: EventListProps): ReactNode {
  const [word, setWord] = useState("");
  const [opened, setOpened] = useState<ReadonlySet<AgentEvent>>(new Set());
  const frame = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => {
    const wanted = word.trim().toLowerCase();
    const all = events.slice(0, count);
    return wanted === "" ? all : all.filter((event) => JSON.stringify(event).toLowerCase().includes(wanted));
  }, [events, count, word]);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 4,
  });
  const found = divergent === undefined ? -1 : shown.findIndex(({ seq: own }) => own === divergent);
  useEffect(() => {
    if (found >= 0) rows.scrollToIndex(found, { align: "center" });
  }, [found, rows]);
  const toggle = useCallback((event: AgentEvent): void => {
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(event)) next.add(event);
      return next;
    });
  }, []);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <label className="flex items-center gap-2 border-b border-line px-3 text-faint focus-within:text-ink">
        <Icon name="search" size={13} />
        <input
          type="search"
          value={word}
          onChange={(event) => setWord(event.target.value)}
          placeholder={`Search ${count.toLocaleString("en")} events`}
          aria-label="Search events"
          className="h-9 min-w-0 flex-1 bg-transparent text-sm text-ink outline-none"
        />
      </label>
      <div ref={frame} tabIndex={0} role="region" className="min-h-0 flex-1 overflow-y-auto" aria-label="Events">
        <ol className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start, key }) => {
            const event = shown[index];
            if (event === undefined) return null;
            const isOpen = opened.has(event);
            return (
              <Row
                key={key}
                event={event}
                index={index}
                start={start}
                isOpen={isOpen}
                isLater={seq !== undefined && (event.seq ?? 0) > seq}
                isDivergent={divergent !== undefined && event.seq === divergent}
                // A folded row is as high as any other: only what is open has to be measured.
                measure={isOpen ? rows.measureElement : undefined}
                toggle={toggle}
              />
            );
          })}
        </ol>
      </div>
    </div>
  );
}

interface RowProps {
  readonly event: AgentEvent;
  readonly index: number;
  readonly start: number;
  readonly isOpen: boolean;
  readonly isLater: boolean;
  readonly isDivergent: boolean;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
  readonly toggle: (event: AgentEvent) => void;
}

/** While the list is scrolled, rows that stay in sight are not drawn again. */
const Row = memo(function Row(props: RowProps): ReactNode {
  const { event, index, start, isOpen, isLater, isDivergent, measure, toggle } = props;
  return (
    <li
      data-index={index}
      ref={measure}
      className={classNames("absolute top-0 left-0 w-full", isLater && "later", isDivergent && "bg-bad-ground")}
      style={{ transform: `translateY(${start}px)` }}
    >
      <button
        type="button"
        aria-current={isDivergent ? "true" : undefined}
        aria-expanded={isOpen}
        onClick={() => toggle(event)}
        className="flex h-[28px] w-full items-center gap-2 px-3 text-left font-mono text-xs hover:bg-hover"
      >
        <span className="w-10 shrink-0 text-right text-faint tabular-nums">{event.seq ?? "–"}</span>
        <span className={classNames("shrink-0", event.lineage !== undefined && "pl-3")}>{event.type}</span>
        <span className="min-w-0 flex-1 truncate text-faint">{brief(event)}</span>
        <span className="shrink-0 text-faint tabular-nums">{formatTime(event.timestamp_ms, true)}</span>
      </button>
      {isOpen && (
        <div className="border-y border-line bg-side px-3 py-2">
          <JsonTree value={event} label={`Event ${event.seq ?? ""}`} open={2} />
        </div>
      )}
    </li>
  );
});

function brief(event: AgentEvent): string {
  return event.data === undefined ? "" : JSON.stringify(event.data).slice(0, 160);
}
