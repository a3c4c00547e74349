import { MAX_LIMIT, type Message, type Page, type RunRecord, type Store, type TenantStore } from "@reprise/contracts";
import { applyPatches } from "@reprise/state";
import type { EarlyCall } from "../wire/worker-messages.ts";
import type { WitnessRecord } from "../witness/witness-record.ts";
import type { RunHistory, ThreadHistory } from "./history.ts";
import { requestsOf } from "./requests.ts";

const TENANT = "default";

/** Reads everything a store has, through its own contract. */
export async function readThreads(store: Store, witness: readonly WitnessRecord[]): Promise<readonly ThreadHistory[]> {
  const tenant = store.forTenant(TENANT);
  // A call that was decided about early may never have been committed; its decision was accepted all the same.
  const early = requestsOf(witness, "decide").flatMap(({ ask }) => (ask.early === undefined ? [] : [ask.early]));
  const threads = await readPages((page) => tenant.listThreads(page));
  const histories: ThreadHistory[] = [];
  for (const { thread_id } of threads) histories.push(await readThread(tenant, thread_id, early));
  return histories;
}

async function readThread(tenant: TenantStore, threadId: string, early: readonly EarlyCall[]): Promise<ThreadHistory> {
  const head = await tenant.loadThread(threadId);
  if (head === undefined) throw new Error(`Thread ${threadId} is listed and not there.`);
  const [changesets, messages, snapshot, entries, runs] = await Promise.all([
    readChangesets(tenant, threadId),
    readMessages(tenant, threadId),
    tenant.loadSnapshot(threadId),
    readPages((page) => tenant.listEntries({ ...page, thread_id: threadId })),
    readPages((page) => tenant.listRuns({ ...page, thread_id: threadId })),
  ]);
  const patches = await tenant.readPatches(threadId, snapshot?.version ?? 0);
  return {
    thread: head.thread,
    changesets,
    messages,
    snapshot,
    state: applyPatches(
      snapshot?.state ?? {},
      patches.flatMap((version) => version.patches),
    ),
    entries,
    runs: await Promise.all(runs.map((run) => readRun(tenant, run, early))),
  };
}

async function readRun(tenant: TenantStore, run: RunRecord, early: readonly EarlyCall[]): Promise<RunHistory> {
  const { run_id } = run;
  const calls = await readPages((page) => tenant.listCalls({ ...page, run_id }));
  const unknown = early.filter(
    (call) => call.run_id === run_id && !calls.some(({ call_id }) => call_id === call.call_id),
  );
  const keys = [...calls, ...unknown.map(({ call_id }) => ({ call_id, suspension: 1 }))].flatMap(
    ({ call_id, suspension }) =>
      Array.from({ length: Math.max(suspension, 1) }, (_, index) => ({ call_id, number: index + 1 })),
  );
  const decisions = await Promise.all(keys.map(({ call_id, number }) => tenant.loadDecision(run_id, call_id, number)));
  return {
    run,
    calls,
    decisions: decisions.filter((decision) => decision !== undefined),
    segments: await tenant.readEvents(run_id, 0),
  };
}

async function readChangesets(tenant: TenantStore, threadId: string): Promise<ThreadHistory["changesets"]> {
  const all: ThreadHistory["changesets"][number][] = [];
  for (;;) {
    const page = await tenant.readChangesets(threadId, all.at(-1)?.version ?? 0, MAX_LIMIT);
    all.push(...page);
    if (page.length < MAX_LIMIT) return all;
  }
}

async function readMessages(tenant: TenantStore, threadId: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  let after: number | undefined;
  for (;;) {
    const place = after === undefined ? {} : { after };
    const query = { ...place, limit: MAX_LIMIT, visibility: "any", include_superseded: true } as const;
    const page = await tenant.listMessages(threadId, query);
    all.push(...page.messages.map(({ cursor: _cursor, ...message }) => message));
    after = page.next_cursor;
    if (!page.has_more || after === undefined) return all;
  }
}

async function readPages<Item>(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (;;) {
    const { items, has_more } = await read({ offset: all.length, limit: MAX_LIMIT });
    all.push(...items);
    if (!has_more || items.length === 0) return all;
  }
}
