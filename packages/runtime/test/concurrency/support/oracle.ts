import type { PoolSizes } from "@reprise/runtime";
import { type Caps, type PlannedCall, poolOf, splitByKind } from "./plan.ts";
import type { Span, Stage } from "./stage.ts";

/** A span with what the plan says about it. */
interface Placed extends Span {
  readonly endedAt: number;
  readonly call: PlannedCall;
  /** Which part of its round it belongs to: parts follow each other. */
  readonly group: number;
  /** From when on nothing but places kept it. */
  readonly readyAt: number;
  /** The places it needs: of its class, and of its tool. */
  readonly places: readonly { readonly name: string; readonly size: number }[];
}

export interface Rules {
  readonly pools: PoolSizes;
  readonly caps?: Caps;
}

/**
 * What the times of a play say against the rules: too many at once, a part of a round that began before the one before it
 * was over, a call that waited although there was room, or one that was overtaken. Knows nothing of how the runtime works.
 */
export function findProblems({ spans, runs }: Pick<Stage, "spans" | "runs">, rules: Rules): readonly string[] {
  const placed = placeAll({ spans, runs }, rules);
  return [...crowds(placed), ...brokenOrder(placed), ...idleWaits(placed), ...overtaken(placed)];
}

function placeAll({ spans, runs }: Pick<Stage, "spans" | "runs">, { pools, caps = {} }: Rules): readonly Placed[] {
  const grouped = spans.map((span) => {
    const run = runs.get(span.runId);
    const call = run?.plan[span.index];
    if (run === undefined || call === undefined) throw new Error(`Nobody planned ${span.callId}.`);
    const group = splitByKind(run.plan).findIndex((indexes) => indexes.includes(span.index));
    return { ...span, endedAt: span.endedAt ?? Number.POSITIVE_INFINITY, run, call, group };
  });
  return grouped.map(({ run, ...span }) => {
    const before = grouped.filter((other) => other.runId === span.runId && other.group < span.group);
    const readyAt = Math.max(run.startedAt, ...before.map(({ endedAt }) => endedAt));
    const pool = poolOf(span.call.tool) ?? "read";
    const owner = pool === "concurrent" ? span.runId : run.root;
    const cap = caps[span.call.tool];
    const places = [{ name: `${pool} of ${owner}`, size: pools[pool] }];
    if (cap !== undefined) places.push({ name: `${span.toolId} of ${span.runId}`, size: cap });
    return { ...span, readyAt, places };
  });
}

const isAtWork = (at: number) => (span: Placed) => span.startedAt <= at && at < span.endedAt;
const say = ({ toolId, index, startedAt, endedAt }: Placed) => `${toolId} (${index}) ${startedAt}-${endedAt}`;
const holds = (name: string) => (span: Placed) => span.places.some((place) => place.name === name);

/** More at once than there are places. */
function crowds(all: readonly Placed[]): readonly string[] {
  return all.flatMap(({ startedAt, places }) =>
    places.flatMap(({ name, size }) => {
      const inside = all.filter(holds(name)).filter(isAtWork(startedAt));
      return inside.length > size ? [`${inside.length} in ${size} places of ${name} at ${startedAt}`] : [];
    }),
  );
}

/** A part of a round that began before the part before it was over. */
function brokenOrder(all: readonly Placed[]): readonly string[] {
  return all.filter(({ startedAt, readyAt }) => startedAt < readyAt).map((span) => `${say(span)} began too early`);
}

/** A call that waited at a moment at which each of its places had room. */
function idleWaits(all: readonly Placed[]): readonly string[] {
  const moments = [...new Set(all.flatMap(({ startedAt, endedAt, readyAt }) => [startedAt, endedAt, readyAt]))];
  return all.flatMap((span) => {
    const waited = moments.filter((moment) => span.readyAt <= moment && moment < span.startedAt);
    const idle = waited.find((moment) => {
      const atWork = all.filter(isAtWork(moment));
      return span.places.every(({ name, size }) => atWork.filter(holds(name)).length < size);
    });
    return idle === undefined ? [] : [`${say(span)} waited at ${idle} for nothing`];
  });
}

/** A call that began after another one that needs the same places and came later. */
function overtaken(all: readonly Placed[]): readonly string[] {
  return all.flatMap((span) =>
    all
      .filter((other) => comesBefore(span, other) && other.startedAt < span.startedAt)
      .map((other) => `${say(other)} overtook ${say(span)}`),
  );
}

function comesBefore(span: Placed, other: Placed): boolean {
  const names = (placed: Placed): string => placed.places.map(({ name }) => name).join();
  if (names(span) !== names(other)) return false;
  if (span.runId === other.runId) return span.index < other.index;
  return span.readyAt < other.readyAt;
}
