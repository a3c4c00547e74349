import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { Act, Actor } from "../log/tell-story.ts";
import { classNames } from "../parts/class-names.ts";
import { formatTime } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { JsonTree } from "./json-tree.tsx";

const ICONS: Readonly<Record<Actor, IconName>> = {
  person: "person",
  model: "spark",
  tool: "tool",
  agent: "agents",
  runtime: "bolt",
  plugin: "shield",
};

const TONES = { plain: "text-faint", wait: "text-wait", good: "text-good", bad: "text-bad" } as const;

interface ActListProps {
  readonly acts: readonly Act[];
  /** The last event that is shown; what came later is dimmed. */
  readonly seq?: number | undefined;
  /** Moves the cursor to an act. */
  readonly select?: ((act: Act) => void) | undefined;
  readonly openRun?: ((runId: string) => void) | undefined;
}

const ROW = 38;

/** A run told in sentences, which lies in an element that scrolls. Each opens the exact data it is told from. */
export function ActList({ acts, seq, select, openRun }: ActListProps): ReactNode {
  const [opened, setOpened] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  // How far down the list begins in the element that scrolls.
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const [own, around] = [list.current, scrollerOf(list.current)];
    if (own === null || around === null) return;
    setScrollMargin(own.getBoundingClientRect().top - around.getBoundingClientRect().top + around.scrollTop);
  }, []);
  const rows = useVirtualizer({
    count: acts.length,
    getScrollElement: () => scrollerOf(list.current),
    scrollMargin,
    estimateSize: () => ROW,
    overscan: 12,
    getItemKey: (index) => acts[index]?.id ?? index,
  });
  return (
    <ol ref={list} className="relative" style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map(({ index, start, key }) => {
        const act = acts[index];
        if (act === undefined) return null;
        const isOpen = opened === act.id;
        return (
          <li
            key={key}
            data-index={index}
            ref={rows.measureElement}
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
            className={classNames(
              "absolute top-0 left-0 w-full border-b border-line",
              seq !== undefined && act.firstSeq > seq && "later",
            )}
          >
            <div className="group flex items-start">
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => {
                  setOpened(isOpen ? undefined : act.id);
                  select?.(act);
                }}
                className="flex min-w-0 flex-1 items-start gap-2.5 px-3 py-2 text-left hover:bg-hover"
              >
                <Icon name={ICONS[act.actor]} size={15} className={classNames("mt-0.5", TONES[act.tone])} />
                <span className="min-w-0 flex-1 break-words">{act.text}</span>
                <span className="text-xs leading-5 whitespace-nowrap text-faint tabular-nums">
                  {formatTime(act.from, true)}
                </span>
              </button>
              {act.childRunId !== undefined && openRun !== undefined && (
                <button
                  type="button"
                  onClick={() => openRun(act.childRunId ?? "")}
                  className="m-1 rounded-md px-2 py-1 text-sm text-accent underline hover:bg-hover"
                >
                  open
                </button>
              )}
            </div>
            {isOpen && (
              <div className="flex flex-col gap-2 bg-side px-3 py-2">
                {act.events.map((event, index) => (
                  <div key={`${event.seq ?? index}`} className="flex flex-col gap-0.5">
                    <p className="font-mono text-xs text-faint">
                      {event.seq} {event.type}
                    </p>
                    {event.data !== undefined && (
                      <JsonTree value={event.data} label={`Data of ${event.type}`} open={1} />
                    )}
                  </div>
                ))}
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The element around a list that scrolls. */
function scrollerOf(list: Element | null): Element | null {
  return list?.closest("[data-scrolls]") ?? null;
}
