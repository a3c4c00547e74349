import {
  type AgentEvent,
  ERRORS,
  type ErrorCode,
  type EventCursor,
  formatCursor,
  invalidRequest,
  notFound,
  parseCursor,
  RepriseError,
  type RunRecord,
  type TenantStore,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { DEFAULT_CANCEL_REASON } from "../effects/outcomes.ts";
import { committedSeq } from "../journal/committed-seq.ts";
import { type EventIterator, EventStream } from "../journal/event-stream.ts";
import { type ChildrenMode, type TreeEvent, TreeStream } from "../journal/tree-stream.ts";
import type { Services } from "../loop/services.ts";
import { cancelRun } from "./cancel-run.ts";
import { type RunOutcome, waitForOutcome } from "./run-outcome.ts";

export interface EventsOptions {
  /** An event's cursor, or its text: continue after that event. */
  readonly after?: EventCursor | string;
  /** Stay while the run waits for decisions. */
  readonly follow?: boolean;
  /**
   * Brings the runs below too, live and in every process. `events`: all of their events, each with its `lineage`. `progress`: only
   * `child_run_progress`. Without it only the run's own events come.
   */
  readonly children?: ChildrenMode;
  readonly signal?: AbortSignal;
}

/** A run, wherever it is worked on. A loop over it reads its events from the beginning, as a loop over `events()` does. */
export interface RunHandle<Output = Json> extends AsyncIterable<AgentEvent> {
  readonly id: string;
  readonly threadId: string;
  /** Set when the same request began this run before. */
  readonly isEarlier?: true;
  /** The run's events from any point, live while it runs. Ends when the run waits or is done. */
  events(options?: EventsOptions): AsyncIterable<AgentEvent>;
  /** The same, each with the cursor to continue from. */
  eventsWithCursor(options?: EventsOptions): EventIterator<{ readonly event: AgentEvent; readonly cursor: string }>;
  /**
   * The text as the model writes it, from the beginning of the run; every loop reads it anew. Ends when the run waits or is done, and
   * throws when the run fails. Text that was shown and withdrawn, because its process was lost, comes twice: `events()` tells.
   */
  readonly textStream: AsyncIterable<string>;
  /** The final text. Lazy: waiting begins when it is awaited. Rejects when the run fails, is cancelled or needs a decision. */
  readonly text: Promise<string>;
  /** The outcome once no worker has the run: done, waiting for decisions, failed or cancelled. */
  outcome(): Promise<RunOutcome<Output>>;
  /** Asks for the end of the run; durable when it resolves. */
  cancel(reason?: string): Promise<void>;
  record(): Promise<RunRecord>;
  /** Whether the run is done and a reader at this cursor has all of its events. */
  hasEndedAt(cursor: EventCursor): Promise<boolean>;
}

export function createRunHandle(services: Services, tenant: string, id: string, threadId: string): RunHandle<never> {
  const store = services.store.forTenant(tenant);
  const read = <Item>(options: EventsOptions, project: (read: TreeEvent) => Item): EventIterator<Item> => {
    const { after, children, ...rest } = options;
    const cursor = typeof after === "string" ? parseCursor(after) : after;
    if (after !== undefined && cursor === undefined) throw invalidRequest(`The cursor does not belong to run ${id}.`);
    const reading = cursor === undefined ? rest : { ...rest, after: cursor };
    const key = { tenant, threadId, runId: id };
    if (children !== undefined) return new TreeStream(services, key, { ...reading, children }, project);
    return new EventStream(services, key, reading, ({ event, epoch }) =>
      project({ event, cursor: cursorAfter(event, epoch) }),
    );
  };
  const record = async (): Promise<RunRecord> => {
    const run = (await store.loadRun(id)) ?? (await loadHost(store, id));
    if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", id);
    return run;
  };
  const events = (options: EventsOptions = {}): EventIterator<AgentEvent> => read(options, ({ event }) => event);
  const outcome = (): Promise<RunOutcome> => waitForOutcome(services, tenant, id, threadId);
  return {
    id,
    threadId,
    events,
    [Symbol.asyncIterator]: () => events(),
    textStream: { [Symbol.asyncIterator]: () => readText(id, events()) },
    text: lazyPromise(async () => finalTextOf(id, await outcome())),
    eventsWithCursor: (options = {}) => read(options, ({ event, cursor }) => ({ event, cursor: formatCursor(cursor) })),
    // What the run answered with was checked against the schema that its type is from.
    outcome: outcome as () => Promise<RunOutcome<never>>,
    cancel: (reason = DEFAULT_CANCEL_REASON) => cancelRun(services, tenant, id, reason.toWellFormed()),
    record,
    async hasEndedAt(cursor) {
      const { status, last_seq } = await record();
      return status === "done" && cursor.seq === last_seq && (await committedSeq(store, cursor)) === last_seq;
    },
  };
}

/** After a withdrawal, reading continues from what is left. */
function cursorAfter(event: AgentEvent, epoch: number): EventCursor {
  const seq = event.type === "stream_reset" ? event.data.from_seq : (event.seq ?? 0);
  return { run_id: event.run_id, epoch, seq };
}

async function* readText(runId: string, events: AsyncIterable<AgentEvent>): AsyncGenerator<string, void> {
  for await (const event of events) {
    if (event.type === "text_delta") yield event.data.delta;
    else if (event.type === "run_finish" && event.data.termination.type === "error") {
      const { value, code } = event.data.termination;
      throw runFailed(runId, value, code);
    }
  }
}

/** The text of a run that is done. For any other it says why there is none. */
function finalTextOf(runId: string, outcome: RunOutcome): string {
  switch (outcome.status) {
    case "done":
      return outcome.text;
    case "failed":
      throw runFailed(runId, outcome.error, outcome.code);
    case "cancelled":
      throw new RepriseError("RUN_CANCELLED", `Run ${runId} was cancelled.`, { details: { run_id: runId } });
    case "waiting": {
      const calls = outcome.open.map(({ id: call }) => call);
      const message = `Run ${runId} needs a decision about ${calls.join(", ")} before it has a final text. Use outcome() to see what is open.`;
      throw new RepriseError("RUN_NOT_DONE", message, { details: { run_id: runId, calls } });
    }
    default:
      return outcome satisfies never;
  }
}

function runFailed(runId: string, problem: string, code: string | undefined): RepriseError {
  const known = code !== undefined && code in ERRORS ? (code as ErrorCode) : "INTERNAL";
  return new RepriseError(known, problem, { details: { run_id: runId } });
}

/** A promise that starts its work when it is first awaited. Without a waiter it costs nothing and never rejects. */
function lazyPromise<Value>(start: () => Promise<Value>): Promise<Value> {
  let started: Promise<Value> | undefined;
  const begin = (): Promise<Value> => {
    started ??= start();
    return started;
  };
  return {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise.
    then: (fulfilled, rejected) => begin().then(fulfilled, rejected),
    catch: (rejected) => begin().catch(rejected),
    finally: (settled) => begin().finally(settled),
    [Symbol.toStringTag]: "Promise",
  };
}

/** The run that took the messages of another request as its own. */
async function loadHost(store: TenantStore, runId: string): Promise<RunRecord | undefined> {
  const { items } = await store.listEntries({ run_id: runId });
  const host = items.find(({ into_run }) => into_run !== undefined)?.into_run;
  return host === undefined ? undefined : store.loadRun(host);
}
