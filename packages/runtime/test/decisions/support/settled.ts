import type { Message, ModelRequest, TenantStore } from "@reprise/contracts";
import { expect } from "vitest";
import { findBrokenRound } from "../../model/find-broken-round.ts";
import { assertConsistent } from "../../support/assert-consistent.ts";

/** Every request a provider would take: each call is followed by its one result, in the model's order. */
export function assertValid(requests: readonly ModelRequest[]): void {
  for (const { messages } of requests) expect(findBrokenRound(messages, "model"), describe(messages)).toBeUndefined();
}

function describe(messages: readonly Message[]): string {
  return messages.map(({ id }) => id).join(" ");
}

/** What is true of a thread whose run is done: nothing waits any more, for anybody. */
export async function assertSettled(store: TenantStore, threadId: string): Promise<void> {
  await assertConsistent(store, threadId);
  const { items: calls } = await store.listCalls({ thread_id: threadId, limit: 200 });
  const open = calls.filter(({ status }) => !["succeeded", "failed", "cancelled"].includes(status));
  expect(
    open.map(({ call_id, status }) => `${call_id} ${status}`),
    "open calls",
  ).toEqual([]);
  const kept = calls.filter((call) => "ticket" in call || "expires_at" in call);
  expect(
    kept.map(({ call_id }) => call_id),
    "calls that are over and still ask",
  ).toEqual([]);
  for (const status of ["queued", "claimed"] as const) {
    const { items } = await store.listEntries({ thread_id: threadId, status, limit: 200 });
    expect(
      items.map(({ entry_id }) => entry_id),
      `${status} entries`,
    ).toEqual([]);
  }
  for (const { run_id } of (await store.listRuns({ thread_id: threadId, limit: 200 })).items) {
    expect((await store.readInbox(threadId, run_id)).decisions, `decisions left for ${run_id}`).toEqual([]);
  }
}
