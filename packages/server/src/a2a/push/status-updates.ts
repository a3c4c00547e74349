import { type A2aStreamItem, encodeA2aEvent, INITIAL_A2A_STATE } from "@reprise/protocols/a2a";
import type { RunHandle } from "@reprise/runtime";
import type { PushPosition } from "./push-configs.ts";

/** A change of a task's state. */
export interface StatusUpdate {
  readonly item: A2aStreamItem;
  /** Where the log of the run is read on from, once this is told. */
  readonly at: PushPosition;
}

export interface StatusUpdates {
  readonly updates: readonly StatusUpdate[];
  /** How far the log was read; undefined when there was nothing to read. */
  readonly end: PushPosition | undefined;
}

/** The changes of a task's state that were committed after a position, up to `lastSeq`. */
export async function readStatusUpdates(
  run: RunHandle,
  lastSeq: number,
  from: PushPosition | undefined,
): Promise<StatusUpdates> {
  const updates: StatusUpdate[] = [];
  let state = { ...INITIAL_A2A_STATE, ...from?.state };
  let end = from;
  if ((from?.seq ?? 0) >= lastSeq) return { updates, end };
  const options = { follow: true, ...(from !== undefined && { after: from.cursor }) };
  for await (const { event, cursor } of run.eventsWithCursor(options)) {
    // Only committed events: one that is shown before its commit may be withdrawn.
    if (event.seq === undefined || event.seq > lastSeq) break;
    const [next, items] = encodeA2aEvent(state, event);
    state = next;
    end = { cursor, seq: event.seq, state };
    for (const item of items) if (!("artifactUpdate" in item)) updates.push({ item, at: end });
    if (event.seq === lastSeq) break;
  }
  return { updates, end };
}
