import { buildMessage } from "@reprise/testkit";
import { expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { HOSTILE_NAMES } from "./nats/hostile-names.ts";
import { LEASE_MS } from "./nats/owned-run.ts";
import { readStream } from "./nats/read-stream.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";
import { startRun } from "./support/thread-work.ts";

describeWithService("postgres", "names that mean something to NATS", (postgres) => {
  describeWithService("nats", "as ids of threads and tenants", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    it("are subjects of their own each, and are found again by the process that takes over", async () => {
      const { store, reopen, advance, stream } = await used.useBuffered();
      expect(new Set(HOSTILE_NAMES).size).toBeGreaterThanOrEqual(200);
      const places = HOSTILE_NAMES.map((name, index) => {
        // Ids of the runs are made of the thread's: of the longest threads they would be too long.
        const isTenant = index % 2 === 0 || name.length > 200;
        return { tenant: isTenant ? name : "plain", threadId: isTenant ? "thread-1" : name, text: `of ${index}` };
      });
      await inGroups(places, async ({ tenant, threadId, text }) => {
        const { commit } = await startRun(store.forTenant(tenant), threadId);
        await commit({ messages: [buildMessage("m", { content: text })] });
      });
      const seen = await used.manage((manager) => readStream(manager, stream));
      const subjects = new Set(seen.map(({ subject }) => subject));
      expect(subjects.size).toBe(places.length);
      for (const subject of subjects) expect(subject).toMatch(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/);
      expect(Math.max(...Array.from(subjects, ({ length }) => length))).toBeLessThan(200);
      advance(LEASE_MS);
      const other = await reopen();
      expect(await other.recover()).toEqual({ recovered: places.length });
      await inGroups(places, async ({ tenant, threadId, text }) => {
        const { messages } = await other.forTenant(tenant).readMessages(threadId, 0);
        expect(messages.map(({ content }) => content)).toEqual([expect.anything(), text]);
      });
    });
  });
});

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += 20) await Promise.all(items.slice(from, from + 20).map(work));
}
