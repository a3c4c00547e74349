import type { TenantStore } from "@reprise/contracts";
import { applyPatches, getAt, type Json, TOOL_CALL_SCOPE } from "@reprise/state";
import { expect } from "vitest";

/**
 * What is true of a thread whatever happened to it: every call of the assistant has one result or is open, the state is the
 * fold of its patches and holds nothing of calls that are over, at most one run is open, nothing waits for a run that is
 * done, and no event is missing.
 */
export async function assertConsistent(store: TenantStore, threadId: string): Promise<void> {
  const runs = (await store.listRuns({ thread_id: threadId, limit: 200 })).items;
  expect(runs.filter(({ status }) => status !== "done").length, "open runs").toBeLessThanOrEqual(1);
  const calls = (await store.listCalls({ thread_id: threadId, limit: 200 })).items;
  const open = new Set(
    calls.filter(({ status }) => !["succeeded", "failed", "cancelled"].includes(status)).map(({ call_id }) => call_id),
  );
  await assertMailbox(store, threadId, new Set(runs.flatMap((run) => (run.status === "done" ? [run.run_id] : []))));
  await assertMessages(store, threadId, open);
  await assertState(store, threadId, open);
  for (const { run_id, last_seq, status } of runs) {
    const events = (await store.readEvents(run_id, 0)).flatMap((segment) => segment.events);
    expect(
      events.map(({ seq }) => seq),
      `the seq of run ${run_id}`,
    ).toEqual(Array.from({ length: last_seq }, (_, index) => index + 1));
    expect(status === "running" || events.at(-1)?.type === "run_finish", `run ${run_id} ends`).toBe(true);
    const ends = events.filter((event) => event.type === "run_finish" && event.data.termination.type !== "suspended");
    expect(ends.length, `ends of run ${run_id}`).toBe(status === "done" ? 1 : 0);
  }
}

async function assertMailbox(store: TenantStore, threadId: string, done: ReadonlySet<string>): Promise<void> {
  for (const status of ["queued", "claimed"] as const) {
    const { items } = await store.listEntries({ thread_id: threadId, status, limit: 200 });
    expect(
      items.filter(({ run_id }) => done.has(run_id)),
      `${status} entries of runs that are done`,
    ).toEqual([]);
  }
}

async function assertMessages(store: TenantStore, threadId: string, open: ReadonlySet<string>): Promise<void> {
  const { messages } = await store.readMessages(threadId, 0);
  const results = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  expect(new Set(results).size, "results given twice").toBe(results.length);
  const asked = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []);
  for (const id of asked) expect(results.includes(id) !== open.has(id), `call ${id} is answered or open`).toBe(true);
  for (const id of results) expect(asked, "results belong to calls").toContain(id);
}

async function assertState(store: TenantStore, threadId: string, open: ReadonlySet<string>): Promise<void> {
  const head = await store.loadThread(threadId);
  const versions = await store.readPatches(threadId, 0);
  expect(versions.map(({ version }) => version)).toEqual(
    Array.from({ length: head?.thread.version ?? 0 }, (_, index) => index + 1),
  );
  const state: Json = applyPatches(
    {},
    versions.flatMap(({ patches }) => patches),
  );
  const scopes = getAt(state, [TOOL_CALL_SCOPE]) ?? {};
  expect(
    Object.keys(scopes as object).filter((id) => !open.has(id)),
    "state of calls that are over",
  ).toEqual([]);
  const snapshot = await store.loadSnapshot(threadId);
  if (snapshot?.version === head?.thread.version) expect(snapshot?.state).toEqual(state);
}
