import { parseCursor } from "@reprise/contracts";
import type { WitnessRecord } from "../witness/witness-record.ts";

/** What a reader last saw of a run. */
interface LastSeen {
  readonly epoch: number;
  readonly at: number;
  readonly isAtWork: boolean;
}

/**
 * How long runs stood still because their owner was killed: from the last kill before another owner continued, to the first event
 * of the new owner that a client saw.
 */
export function measurePauses(witness: readonly WitnessRecord[]): readonly number[] {
  const last = new Map<string, LastSeen>();
  const kills: number[] = [];
  const pauses: number[] = [];
  for (const record of witness) {
    if (record.type === "fault" && record.worker !== undefined) kills.push(record.at);
    if (record.type !== "event" || record.event.type === "stream_reset") continue;
    const { run_id, type } = record.event;
    const epoch = parseCursor(record.cursor)?.epoch ?? 0;
    const before = last.get(run_id);
    const kill = kills.findLast((at) => at <= record.at);
    if (before?.isAtWork === true && epoch > before.epoch && kill !== undefined && kill >= before.at) {
      pauses.push(record.at - kill);
    }
    last.set(run_id, { epoch, at: record.at, isAtWork: type !== "run_finish" });
  }
  return pauses;
}

/** How long it took until clients saw anything happen once a store was back. */
export function measureReturns(witness: readonly WitnessRecord[]): readonly number[] {
  return witness.flatMap((record, place) => {
    if (record.type !== "healed") return [];
    const next = witness.slice(place).find((later) => later.type === "event" && later.event.type === "tool_call_done");
    return next === undefined ? [] : [next.at - record.at];
  });
}
