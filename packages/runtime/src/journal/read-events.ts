import { type AgentEvent, type EventCursor, invalidRequest } from "@reprise/contracts";
import type { Services } from "../services.ts";
import { awaitStart } from "./await-start.ts";
import { EventReader } from "./event-reader.ts";
import { isUnderWay } from "./is-under-way.ts";

export interface ReadOptions {
  /** Go on after this event; from the start without it. */
  readonly after?: EventCursor;
  /** Stay while the run waits for decisions, until it is done. Without it the stream ends when the activation does. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** An event with the cursor that continues after it; an event that withdraws others has none of its own. */
export interface ReadEvent {
  readonly event: AgentEvent;
  readonly epoch: number;
}

/**
 * The events of a run from any cursor: what is committed, then what happens. Without gap or repeat of committed events; a
 * tail that was shown and never committed is withdrawn by a `stream_reset`. `project` shapes what is yielded here, because a
 * second generator around this one would cost every token another turn.
 */
export async function* readEvents<Item>(
  services: Services,
  tenant: string,
  threadId: string,
  wantedId: string,
  { after, follow = false, signal }: ReadOptions,
  project: (read: ReadEvent) => Item,
): AsyncGenerator<Item, void> {
  const store = services.store.forTenant(tenant);
  const run = await awaitStart(services, tenant, threadId, wantedId, signal);
  if (run === undefined) return;
  const runId = run.run_id;
  if (after !== undefined && after.run_id !== runId) throw invalidRequest(`This is no cursor of run ${runId}.`);
  const reader = new EventReader(services, tenant, threadId, runId);
  try {
    let seq = after?.seq ?? 0;
    let epoch = after?.epoch ?? 0;
    if (after !== undefined) {
      const committed = Math.min(seq, await store.lastSeqOfEpoch(runId, epoch));
      if (committed < seq) {
        seq = committed;
        yield project({ event: reset(runId, threadId, seq, services.env.clock.now()), epoch });
      }
    }
    for (;;) {
      const ready = signal?.aborted === true ? undefined : reader.take(seq, epoch);
      const next = ready ?? (await reader.next({ seq, epoch, follow }, signal));
      if (next === undefined) return;
      if ("withdraw" in next) {
        seq = next.withdraw;
        yield project({ event: reset(runId, threadId, seq, services.env.clock.now()), epoch });
        continue;
      }
      seq = next.event.seq ?? seq;
      epoch = next.epoch;
      yield project(next);
      if (next.event.type !== "run_finish") continue;
      if (next.event.data.termination.type !== "suspended") return;
      // Where the run waits the stream ends; where it once waited it goes on.
      const now = follow ? undefined : await store.loadRun(runId);
      if (now !== undefined && now.last_seq === seq && !(await isUnderWay(store, now))) return;
    }
  } finally {
    reader.close();
  }
}

function reset(runId: string, threadId: string, fromSeq: number, now: number): AgentEvent {
  return { type: "stream_reset", run_id: runId, thread_id: threadId, timestamp_ms: now, data: { from_seq: fromSeq } };
}
