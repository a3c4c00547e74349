import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef } from "react";
import { type Moment, momentAt, type VersionKind } from "../log/versions.ts";
import { Button } from "../parts/button.tsx";
import { classNames } from "../parts/class-names.ts";
import { formatDuration, formatTime } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";

const COLOURS: Readonly<Record<VersionKind, string>> = {
  said: "bg-accent",
  model: "bg-run",
  tools: "bg-good",
  wait: "hatched bg-wait-ground",
  end: "bg-line-strong",
  outside: "bg-faint",
};

const MOST_BARS = 240;

function tookOf(group: readonly Moment[]): number {
  return group.reduce((sum, { tookMs }) => sum + tookMs, 0);
}

interface TimeBarProps {
  readonly moments: readonly Moment[];
  /** The version that is shown; undefined at the newest moment. */
  readonly at: number | undefined;
  readonly move: (version: number | undefined) => void;
  readonly isLive: boolean;
}

/**
 * The history of a thread: one bar a version, taller the longer it took. Moving along it moves everything else on the page. At the
 * newest moment it follows.
 */
export function TimeBar({ moments, at, move, isLive }: TimeBarProps): ReactNode {
  const track = useRef<HTMLDivElement>(null);
  const last = moments.at(-1);
  const shown = at === undefined ? last : momentAt(moments, at);
  const index = shown === undefined ? -1 : moments.indexOf(shown);
  const go = (to: number): void => {
    const target = moments[Math.max(0, Math.min(moments.length - 1, to))];
    move(target === undefined || target === last ? undefined : target.version);
  };
  useEffect(() => {
    const bar = track.current;
    const cursor = bar?.children[Math.floor(index / Math.ceil(moments.length / MOST_BARS))];
    if (bar === null || !(cursor instanceof HTMLElement)) return;
    const x = cursor.offsetLeft;
    if (x < bar.scrollLeft || x > bar.scrollLeft + bar.clientWidth - 16) bar.scrollLeft = x - bar.clientWidth / 2;
  }, [index, moments.length]);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 }[event.key];
    const target =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? moments.length - 1
          : step === undefined
            ? undefined
            : index + step;
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  };
  const onPointer = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.buttons === 0) return;
    const bar = event.currentTarget;
    const bars = [...bar.children].map((child) => child.getBoundingClientRect());
    const found = bars.findIndex(({ right }) => event.clientX <= right + 1);
    go(found === -1 ? moments.length - 1 : found * Math.ceil(moments.length / MOST_BARS));
  };
  if (last === undefined || shown === undefined)
    return (
      <footer className="flex h-11 shrink-0 items-center gap-2 border-t border-line px-4 text-xs text-faint">
        <Icon name="clock" size={13} />
        Every version of this thread appears here.
      </footer>
    );
  // More bars than there are points to see would be no help; a bar then stands for several versions.
  const each = Math.ceil(moments.length / MOST_BARS);
  const bars = Array.from({ length: Math.ceil(moments.length / each) }, (_, at) =>
    moments.slice(at * each, (at + 1) * each),
  );
  const longest = bars.reduce((most, group) => Math.max(most, tookOf(group)), 1);
  return (
    <footer className="flex h-11 shrink-0 items-center gap-3 border-t border-line px-4">
      <div
        ref={track}
        role="slider"
        tabIndex={0}
        aria-label="Version"
        aria-valuemin={moments[0]?.version ?? 1}
        aria-valuemax={last.version}
        aria-valuenow={shown.version}
        aria-valuetext={`Version ${shown.version} of ${last.version}: ${shown.label}`}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          onPointer(event);
        }}
        onPointerMove={onPointer}
        className="relative flex h-7 min-w-0 flex-1 touch-none items-end gap-px overflow-x-auto overflow-y-hidden rounded-sm [scrollbar-width:none]"
      >
        {bars.map((group, position) => {
          const [first] = group;
          if (first === undefined) return null;
          const tookMs = tookOf(group);
          const until = group.at(-1)?.version ?? first.version;
          const name = until === first.version ? `Version ${first.version}` : `Versions ${first.version} to ${until}`;
          const begin = position * each;
          return (
            <span
              key={first.version}
              title={`${name} · ${first.label}${tookMs > 0 ? ` · ${formatDuration(tookMs)}` : ""}`}
              className="flex h-full max-w-8 min-w-1.5 flex-1 cursor-pointer items-end"
            >
              <span
                style={{ height: `${25 + 75 * (Math.log1p(tookMs) / Math.log1p(longest))}%` }}
                className={classNames(
                  "w-full rounded-t-[2px]",
                  COLOURS[first.kind],
                  begin > index && "opacity-30",
                  begin <= index && index < begin + each && "outline-2 outline-ink",
                )}
              />
            </span>
          );
        })}
      </div>
      <p className="text-xs whitespace-nowrap text-faint tabular-nums">
        {at === undefined ? (
          <span className={classNames("inline-flex items-center gap-1.5", isLive && "text-run")}>
            <span className={classNames("size-1.5 rounded-full", isLive ? "animate-pulse bg-run" : "bg-line-strong")} />
            Version {last.version}
          </span>
        ) : (
          `${shown.version} of ${last.version}`
        )}
      </p>
    </footer>
  );
}

interface RewindBarProps {
  readonly moments: readonly Moment[];
  readonly at: number;
  readonly fork: () => void;
  readonly rerun: (() => void) | undefined;
  readonly back: () => void;
}

/** Says that the page shows an earlier moment, and what can be done from there. */
export function RewindBar({ moments, at, fork, rerun, back }: RewindBarProps): ReactNode {
  const moment = momentAt(moments, at);
  return (
    <div
      role="group"
      aria-label="Earlier version"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-accent bg-accent-ground px-3 py-2"
    >
      <p className="min-w-0 flex-1 basis-48 text-sm">
        <span className="font-semibold tabular-nums">
          Version {moment?.version ?? at} of {moments.at(-1)?.version ?? at}
        </span>
        {moment?.time !== undefined && (
          <span className="text-faint tabular-nums"> · {formatTime(moment.time, true)}</span>
        )}
        {moment !== undefined && <span className="text-faint"> · {moment.label}</span>}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button small icon="fork" onClick={fork} title="A new thread that begins here (F)">
          Fork from here
        </Button>
        {rerun !== undefined && (
          <Button small icon="retry" onClick={rerun} title="Try the next step again, on a fork">
            Re-run from here
          </Button>
        )}
        <Button small kind="primary" onClick={back}>
          Back to now
        </Button>
      </div>
    </div>
  );
}
