import {
  type AgentEvent,
  type EventCursor,
  formatCursor,
  invalidRequest,
  notFound,
  parseCursor,
  type RunRecord,
  type TenantStore,
} from "@reprise/contracts";
import { DEFAULT_CANCEL_REASON } from "../effects/outcomes.ts";
import { committedSeq } from "../journal/committed-seq.ts";
import { type EventIterator, EventStream, type ReadEvent } from "../journal/event-stream.ts";
import type { Services } from "../loop/services.ts";
import { type RunOutcome, waitForOutcome } from "./run-outcome.ts";

export interface EventsOptions {
  /** An event's cursor, or its text: go on after that event. */
  readonly after?: EventCursor | string;
  /** Stay while the run waits for decisions. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** A run, wherever it is worked on. */
export interface RunHandle {
  readonly id: string;
  readonly threadId: string;
  /** Set when the same request began this run before. */
  readonly isEarlier?: true;
  /** The run's events from any point, live while it runs. Ends when the run waits or is done. */
  events(options?: EventsOptions): AsyncIterable<AgentEvent>;
  /** The same, each with the cursor a reader would go on from. */
  eventsWithCursor(options?: EventsOptions): EventIterator<{ readonly event: AgentEvent; readonly cursor: string }>;
  /** How the run stands once nobody works on it: done, waiting for decisions, failed or cancelled. */
  outcome(): Promise<RunOutcome>;
  /** Asks for the end of the run; durable when it resolves. */
  cancel(reason?: string): Promise<void>;
  record(): Promise<RunRecord>;
  /** Whether the run is done and a reader at this cursor has all of its events. */
  hasEndedAt(cursor: EventCursor): Promise<boolean>;
}

export function createRunHandle(services: Services, tenant: string, id: string, threadId: string): RunHandle {
  const store = services.store.forTenant(tenant);
  const read = <Item>(options: EventsOptions, project: (read: ReadEvent) => Item): EventIterator<Item> => {
    const { after, ...rest } = options;
    const cursor = typeof after === "string" ? parseCursor(after) : after;
    if (after !== undefined && cursor === undefined) throw invalidRequest(`The cursor does not belong to run ${id}.`);
    const reading = cursor === undefined ? rest : { ...rest, after: cursor };
    return new EventStream(services, { tenant, threadId, runId: id }, reading, project);
  };
  const record = async (): Promise<RunRecord> => {
    const run = (await store.loadRun(id)) ?? (await loadHost(store, id));
    if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", id);
    return run;
  };
  return {
    id,
    threadId,
    events: (options = {}) => read(options, ({ event }) => event),
    eventsWithCursor: (options = {}) =>
      read(options, ({ event, epoch }) => {
        // After a withdrawal one goes on from what is left.
        const seq = event.type === "stream_reset" ? event.data.from_seq : (event.seq ?? 0);
        return { event, cursor: formatCursor({ run_id: event.run_id, epoch, seq }) };
      }),
    outcome: () => waitForOutcome(services, tenant, id, threadId),
    cancel: (reason = DEFAULT_CANCEL_REASON) => store.requestCancel(id, reason.toWellFormed()),
    record,
    async hasEndedAt(cursor) {
      const { status, last_seq } = await record();
      return status === "done" && cursor.seq === last_seq && (await committedSeq(store, cursor)) === last_seq;
    },
  };
}

/** The run that took the messages of another request as its own. */
async function loadHost(store: TenantStore, runId: string): Promise<RunRecord | undefined> {
  const { items } = await store.listEntries({ run_id: runId });
  const host = items.find(({ into_run }) => into_run !== undefined)?.into_run;
  return host === undefined ? undefined : store.loadRun(host);
}
