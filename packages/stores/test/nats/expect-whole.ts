import type { TenantStore } from "@reprise/contracts";
import { expect } from "vitest";

/** A thread's versions follow each other, each changeset is there once, and its run's events have no gap. Returns the ids. */
export async function expectWhole(tenant: TenantStore, threadId: string, runId: string): Promise<readonly string[]> {
  const changesets: Awaited<ReturnType<TenantStore["readChangesets"]>>[number][] = [];
  for (;;) {
    const page = await tenant.readChangesets(threadId, changesets.length, 200);
    changesets.push(...page);
    if (page.length === 0) break;
  }
  expect(changesets.map(({ version }) => version)).toEqual(changesets.map((_, index) => index + 1));
  const ids = changesets.map(({ changeset_id }) => changeset_id);
  expect(new Set(ids).size).toBe(ids.length);
  const events = (await tenant.readEvents(runId, 0)).flatMap((segment) => segment.events);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const messages = (await tenant.readMessages(threadId, 0)).messages.map(({ id }) => id);
  expect(messages).toEqual(changesets.flatMap((changeset) => changeset.messages.map(({ id }) => id)));
  expect((await tenant.loadThread(threadId))?.thread.version).toBe(ids.length);
  return ids;
}
