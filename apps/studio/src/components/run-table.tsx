import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useEffect } from "react";
import { useObservable } from "../api/observable.ts";
import type { Run } from "../api/types.ts";
import { baseAgent } from "../log/base-agent.ts";
import { statusOfRun } from "../log/fold-messages.ts";
import { describeReplay, type Replay } from "../log/replay.ts";
import { classNames } from "../parts/class-names.ts";
import { formatCost, formatCount, formatDuration, formatTime } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";
import { verdicts } from "../session/verdicts.ts";

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly titles: ReadonlyMap<string, string>;
  readonly chosen: ReadonlySet<string>;
  readonly choose: (runId: string) => void;
  readonly open: (run: Run) => void;
  readonly focused: number;
  readonly frame: RefObject<HTMLDivElement | null>;
  /** Called when the end of the list comes into sight. */
  readonly more?: (() => void) | undefined;
}

const COLUMNS =
  "grid grid-cols-[28px_minmax(0,1fr)_auto] md:grid-cols-[28px_minmax(0,2fr)_minmax(90px,1fr)_140px_88px_88px_104px] items-center gap-x-3";

/** Runs as a table that is as long as there are runs: only the rows in sight are drawn. */
export function RunTable({ runs, titles, chosen, choose, open, focused, frame, more }: RunTableProps): ReactNode {
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 44,
    overscan: 10,
  });
  const verified = useObservable(verdicts);
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= runs.length - 5) more?.();
  }, [last, runs.length, more]);
  useEffect(() => {
    if (focused >= 0) rows.scrollToIndex(focused);
  }, [focused, rows]);
  return (
    <div role="table" aria-label="Runs" aria-rowcount={runs.length}>
      <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-ground">
        <div role="row" className={classNames(COLUMNS, "h-8 px-3 text-xs font-medium text-faint")}>
          <span role="columnheader">
            <span className="sr-only">Choose</span>
          </span>
          <span role="columnheader">Thread</span>
          <span role="columnheader" className="max-md:hidden">
            Agent
          </span>
          <span role="columnheader">Status</span>
          <span role="columnheader" className="text-right max-md:hidden">
            Duration
          </span>
          <span role="columnheader" className="text-right max-md:hidden">
            Cost
          </span>
          <span role="columnheader" className="text-right max-md:hidden">
            Started
          </span>
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const run = runs[index];
          if (run === undefined) return null;
          return (
            <div
              key={key}
              role="row"
              tabIndex={index === focused ? 0 : -1}
              aria-selected={index === focused}
              onClick={() => open(run)}
              className={classNames(
                COLUMNS,
                "absolute top-0 left-0 h-[44px] w-full cursor-pointer border-b border-line px-3 hover:bg-hover",
                index === focused && "bg-hover",
              )}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span role="cell" className="flex">
                <input
                  type="checkbox"
                  aria-label={`Choose run ${run.run_id}`}
                  checked={chosen.has(run.run_id)}
                  onClick={(event) => event.stopPropagation()}
                  onChange={() => choose(run.run_id)}
                  className="accent-accent"
                />
              </span>
              <span role="cell" className="min-w-0">
                <span className="flex items-center gap-1.5">
                  {run.parent_run_id !== undefined && <Lineage icon="agents" word="Works for another run" />}
                  {run.metadata !== null && "rerun_of" in run.metadata && (
                    <Lineage icon="retry" word="Re-run of another run" />
                  )}
                  {/* The row opens the run too; a link can be opened beside, copied and read out. */}
                  <Link
                    to="/runs/$runId"
                    params={{ runId: run.run_id }}
                    preload={false}
                    onClick={(event) => event.stopPropagation()}
                    className="truncate font-medium hover:underline"
                  >
                    {titles.get(run.thread_id) || run.thread_id}
                  </Link>
                </span>
                <span className="block truncate text-xs text-faint md:hidden">
                  {baseAgent(run.agent_id)} · {formatTime(run.created_at)}
                </span>
              </span>
              <span role="cell" className="truncate text-sm max-md:hidden">
                {baseAgent(run.agent_id)}
                {run.origin !== "user" && <span className="text-faint"> · {run.origin.replaceAll("_", " ")}</span>}
              </span>
              <span role="cell" className="flex items-center gap-1.5">
                <Status word={statusOfRun(run)} />
                <Verified replay={verified.get(run.run_id)} />
              </span>
              <span role="cell" className="text-right text-sm text-faint tabular-nums max-md:hidden">
                {formatDuration(run.updated_at - run.created_at)}
              </span>
              <span
                role="cell"
                className="text-right text-sm text-faint tabular-nums max-md:hidden"
                title={`${formatCount((run.input_tokens ?? 0) + (run.output_tokens ?? 0))} tokens`}
              >
                {formatCost(run.total?.cost_microcents ?? run.cost_microcents ?? 0)}
              </span>
              <span role="cell" className="text-right text-sm whitespace-nowrap text-faint tabular-nums max-md:hidden">
                {formatTime(run.created_at)}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** What a replay of the run found, once it was verified in this browser. */
function Verified({ replay }: { readonly replay: Replay | undefined }): ReactNode {
  const verdict = describeReplay(replay);
  if (verdict === undefined) return null;
  return (
    <span title={verdict.text} className={classNames("flex", verdict.isEqual ? "text-good" : "text-bad")}>
      <Icon name={verdict.isEqual ? "shield" : "warning"} size={13} />
      <span className="sr-only">{verdict.text}</span>
    </span>
  );
}

function Lineage({ icon, word }: { readonly icon: IconName; readonly word: string }): ReactNode {
  return (
    <span title={word} className="flex text-faint">
      <Icon name={icon} size={12} />
      <span className="sr-only">{word}:</span>
    </span>
  );
}
