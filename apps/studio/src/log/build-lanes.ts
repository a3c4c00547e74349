import type { Span } from "./build-spans.ts";

/** A row of a waterfall: a span of the run itself, or a run below it with everything it did. */
export interface WaterfallRow {
  readonly id: string;
  readonly label: string;
  readonly depth: number;
  readonly from: number;
  readonly to: number;
  /** What is drawn in the row, in order. */
  readonly bars: readonly Span[];
  /** Set for the row of a run below: its id. */
  readonly laneOf?: string;
  readonly costMicrocents: number;
  readonly tokens: number;
  readonly isFailed: boolean;
  /** How many runs below it are not shown. */
  readonly hidden?: number;
}

/** A tree of more runs than this begins folded: a lane for each run right below, and what is below those behind them. */
const UNFOLDED_LANES = 12;

/**
 * The rows of a waterfall. The spans of the run itself have a row each; a run below is one row, a swimlane, in the place of the call
 * that started it, with its own runs below it. A lane that is opened shows its spans in rows of their own. In a large tree the lanes
 * below a lane are shown once it is opened.
 */
export function buildRows(spans: readonly Span[], opened: ReadonlySet<string>): readonly WaterfallRow[] {
  const own = spans.filter(({ depth, kind }) => depth === 0 && kind !== "run");
  const lanes = new Map<string, Span[]>();
  for (const span of spans) {
    if (span.depth === 0) continue;
    const lane = lanes.get(span.runId);
    if (lane === undefined) lanes.set(span.runId, [span]);
    else lane.push(span);
  }
  /** By the run and its call. */
  const below = new Map<string, readonly Span[][]>();
  for (const lane of lanes.values()) {
    const [first] = lane;
    if (first === undefined) continue;
    const key = keyOf(first.parentRunId, first.parentCallId);
    below.set(key, [...(below.get(key) ?? []), lane]);
  }
  const isLarge = lanes.size > UNFOLDED_LANES;
  const lanesBelow = (list: readonly Span[]): number =>
    [...new Set(list.map(({ runId, callId }) => keyOf(runId, callId)))]
      .flatMap((key) => below.get(key) ?? [])
      .reduce((sum, lane) => sum + 1 + lanesBelow(lane.filter(({ kind }) => kind !== "run")), 0);
  const rows: WaterfallRow[] = [];
  const addLane = (lane: readonly Span[]): void => {
    const [first] = lane;
    if (first === undefined) return;
    const bars = lane.filter(({ kind }) => kind !== "run");
    const isOpen = opened.has(first.runId);
    const hidden = isLarge && !isOpen ? lanesBelow(bars) : 0;
    rows.push({
      id: first.runId,
      label: first.lane,
      depth: first.depth,
      from: Math.min(...lane.map(({ from }) => from)),
      to: Math.max(...lane.map(({ to }) => to)),
      bars: isOpen
        ? lane.filter(({ kind }) => kind === "run")
        : bars.filter(({ callId }) => hidden > 0 || !below.has(keyOf(first.runId, callId))),
      laneOf: first.runId,
      costMicrocents: sumOf(bars, ({ costMicrocents }) => costMicrocents),
      tokens: sumOf(bars, ({ tokens }) => tokens),
      isFailed: lane.some(({ kind, isFailed }) => kind === "run" && isFailed),
      ...(hidden > 0 && { hidden }),
    });
    if (hidden === 0) addSpans(bars, isOpen);
  };
  const addSpans = (list: readonly Span[], isShown: boolean): void => {
    const done = new Set<string>();
    for (const span of list) {
      const key = keyOf(span.runId, span.callId);
      const started = span.callId === undefined ? undefined : below.get(key);
      if (started === undefined) {
        if (isShown) rows.push(rowOf(span));
      } else if (!done.has(key)) {
        done.add(key);
        for (const lane of started) addLane(lane);
      }
    }
  };
  addSpans(own, true);
  return rows;
}

function rowOf(span: Span): WaterfallRow {
  const { id, label, depth, from, to, costMicrocents = 0, tokens = 0, isFailed } = span;
  return { id, label, depth, from, to, bars: [span], costMicrocents, tokens, isFailed };
}

function keyOf(runId: string | undefined, callId: string | undefined): string {
  return `${runId} ${callId}`;
}

function sumOf(spans: readonly Span[], amountOf: (span: Span) => number | undefined): number {
  return spans.reduce((sum, span) => sum + (amountOf(span) ?? 0), 0);
}
