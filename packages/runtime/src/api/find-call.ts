import { type AgentEvent, invalidRequest, type TenantStore, type ToolCallRecord } from "@reprise/contracts";
import { listAllCalls } from "../thread/calls.ts";
import { readCallName } from "../thread/derived-ids.ts";

/**
 * The call an id names among calls: its own id, that of its suspension, or the one it has outside while it waits. The last
 * two are chosen by authors; when several calls have the same one, the target is refused as ambiguous.
 */
export function findTarget(calls: readonly ToolCallRecord[], target: string): ToolCallRecord | undefined {
  const own = calls.find(({ call_id }) => call_id === target);
  if (own !== undefined) return own;
  const named = calls.filter(({ ticket }) => ticket?.suspension.id === target || ticket?.pending.id === target);
  if (named.length <= 1) return named[0];
  const ids = named.map(({ call_id }) => call_id);
  throw invalidRequest(
    `${named.length} calls wait under the id ${target}: ${ids.join(", ")}. Decide by one of these.`,
    {
      call_ids: ids,
    },
  );
}

/** A call, and which of its suspensions an id named, as far as it did. */
export interface FoundCall {
  readonly call: ToolCallRecord;
  readonly suspension?: number;
}

/** A call by any of its ids. Its own and those of its suspensions name its run; stores index the id it has outside. */
export async function findCall(
  store: TenantStore,
  target: string,
  runId: string | undefined,
): Promise<FoundCall | undefined> {
  const found = await findNamed(store, target, runId);
  if (found !== undefined) return found;
  // A run given beside an author's call id has few open calls, of which any id may be meant.
  const query = runId === undefined ? { pending_id: target } : { run_id: runId };
  const call = findTarget(await listAllCalls(store, { status: "suspended", ...query }), target);
  return call === undefined ? undefined : { call };
}

/**
 * A call that no longer waits, by any of its ids, on a thread. The id it had outside is found in the journal of one run: the given one,
 * or the thread's latest.
 */
export async function findAnsweredCall(
  store: TenantStore,
  { threadId, runId }: { readonly threadId: string; readonly runId?: string },
  target: string,
): Promise<FoundCall | undefined> {
  const named = await findNamed(store, target, runId);
  if (named !== undefined) return named.call.thread_id === threadId ? named : undefined;
  if (readCallName(target) !== undefined) return undefined;
  const searched = runId ?? (await store.listRuns({ thread_id: threadId, limit: 1 })).items[0]?.run_id;
  if (searched === undefined) return undefined;
  let found: { readonly id: string; readonly suspension: number } | undefined;
  for await (const event of walkEvents(store, searched)) {
    if (event.type !== "tool_call_done" || event.data.suspended?.ticket.pending.id !== target) continue;
    found = { id: event.data.id, suspension: event.data.suspended.suspension };
  }
  const call = found === undefined ? undefined : await store.loadCall(searched, found.id);
  return call === undefined ? undefined : { call, ...(found !== undefined && { suspension: found.suspension }) };
}

async function findNamed(
  store: TenantStore,
  target: string,
  runId: string | undefined,
): Promise<FoundCall | undefined> {
  const named = readCallName(target);
  if (named === undefined || (runId ?? named.run_id) !== named.run_id) return undefined;
  const call = await store.loadCall(named.run_id, named.call_id);
  if (call === undefined) return undefined;
  return { call, ...(named.suspension !== undefined && { suspension: named.suspension }) };
}

/** How many commits of a journal are read at once. */
const COMMITS_AT_ONCE = 64;

async function* walkEvents(store: TenantStore, runId: string): AsyncGenerator<AgentEvent> {
  for (let after = 0; ; ) {
    const segments = await store.readEvents(runId, after, COMMITS_AT_ONCE);
    for (const { events } of segments) yield* events;
    const last = segments.at(-1)?.events.at(-1)?.seq;
    if (last === undefined || segments.length < COMMITS_AT_ONCE) return;
    after = last;
  }
}
