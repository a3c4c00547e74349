import type { Store } from "@reprise/contracts";
import { buildChangeset, buildMessage } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { sealChangeset } from "../src/codec/seal-changeset.ts";
import { encodeMessage } from "../src/nats-buffered/buffer-message.ts";
import type { BufferPorts } from "../src/nats-buffered/buffer-ports.ts";
import { subjectOf } from "../src/nats-buffered/buffer-subject.ts";
import { BufferedDriver } from "../src/nats-buffered/buffered-driver.ts";
import { connectNats } from "../src/nats-buffered/connect-nats.ts";
import { createLook } from "../src/nats-buffered/look.ts";
import { openPostgresDriver } from "../src/postgres/open-postgres-store.ts";
import { createDurableStore } from "../src/shell/create-durable-store.ts";
import { expectWhole } from "./nats/expect-whole.ts";
import { takeRun } from "./nats/owned-run.ts";
import { readStream } from "./nats/read-stream.ts";
import { type OpenedBuffered, useBufferedServers } from "./nats/use-buffered.ts";
import { startRun } from "./support/thread-work.ts";

const BOUNDS = { maxCommits: 64, maxBytes: 1_000_000, maxWaitMs: 60_000 };

describeWithService("postgres", "an owner that is slow", (postgres) => {
  describeWithService("nats", "in the worst moment", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    /** A handle on the same store that stops after each look at the database until it is let continue. */
    async function openSlow({ schema, stream, prefix }: OpenedBuffered, onLook: () => Promise<void>): Promise<Store> {
      const opened = await openPostgresDriver({ url: used.postgres.url, schema, clock: { now: () => 0 } });
      const settings = { name: stream, prefix, replicas: 1, timeoutMs: 1_000 };
      const connected = await connectNats({ servers: used.nats.url }, settings);
      const look = createLook(opened);
      const ports: BufferPorts = {
        inner: opened.driver,
        stream: connected.stream,
        bounds: BOUNDS,
        subjectOf: (tenant, threadId) => subjectOf(`${prefix}.slow`, tenant, threadId),
        async look(request) {
          const glimpse = await look(request);
          await onLook();
          return glimpse;
        },
      };
      const store = createDurableStore(new BufferedDriver(ports, "process-crash"));
      onTestFinished(() => store.close());
      return store;
    }

    /** Two handles; `hooks.onLook` is what happens between a look of the first at the database and what it does then. */
    async function useRace() {
      const opened = await used.useBuffered();
      const hooks = { onLook: async (): Promise<void> => {} };
      const slow = await openSlow(opened, () => hooks.onLook());
      const other = await openSlow(opened, async () => {});
      const started = await startRun(slow.forTenant("default"), "thread-1");
      // The lease is over by the time of everybody else.
      await opened.sql("update threads set claim_until = -1, work_at = -1");
      return { ...opened, ...started, hooks, slow, other, there: other.forTenant("default") };
    }

    it("cannot write after the one that took its thread over, though it has just seen that it was its own", async () => {
      const { commit, hooks, other, there, run } = await useRace();
      await commit();
      let next: Awaited<ReturnType<typeof takeRun>> | undefined;
      hooks.onLook = async () => {
        hooks.onLook = async () => {};
        next = await takeRun(other, "next");
        await next.commit();
      };
      await expect(commit()).rejects.toMatchObject({ code: "STALE_EPOCH" });
      expect(next?.version).toBe(3);
      await next?.commit({ runs: [{ ...run, status: "done" }] });
      expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(4);
    });

    it("cannot begin to write after it either", async () => {
      for (const commits of [0, 1]) {
        const { commit, hooks, other, there, run } = await useRace();
        let next: Awaited<ReturnType<typeof takeRun>> | undefined;
        hooks.onLook = async () => {
          hooks.onLook = async () => {};
          next = await takeRun(other, "next");
          for (let turn = 0; turn < commits; turn += 1) await next.commit();
        };
        await expect(commit()).rejects.toMatchObject({ code: "STALE_EPOCH" });
        await next?.commit();
        await next?.commit({ runs: [{ ...run, status: "done" }] });
        expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(commits + 3);
      }
    });

    it("is not overlooked when it writes just before the thread is taken over", async () => {
      const { commit, hooks, other, there, run } = await useRace();
      await commit();
      let taking: ReturnType<typeof takeRun> | undefined;
      hooks.onLook = async () => {
        hooks.onLook = async () => {};
        // Not waited for: who is first is not known, and either way nothing that is acknowledged may be missing.
        taking = takeRun(other, "next");
      };
      const acknowledged = await commit().then(
        ({ changeset_id }) => [changeset_id],
        () => [],
      );
      await taking;
      expect(await expectWhole(there, "thread-1", run.run_id)).toEqual(expect.arrayContaining(acknowledged));
    });

    it("is believed in what it said last of a version", async () => {
      const { other, there, run, claim, stream, prefix } = await useRace();
      const subject = subjectOf(`${prefix}.slow`, "default", "thread-1");
      await used.manage(async (manager) => {
        for (const id of ["first", "second"]) {
          const { changeset } = sealed(id, run.run_id);
          const place = { tenant: "default", thread_id: "thread-1", epoch: claim.epoch };
          await manager
            .jetstream()
            .publish(subject, encodeMessage({ kind: "commit", ...place, version: 2, changeset }));
        }
        expect(await readStream(manager, stream)).toHaveLength(2);
      });
      expect((await takeRun(other, "next")).version).toBe(2);
      expect((await expectWhole(there, "thread-1", run.run_id)).at(-1)).toBe("second");
    });
  });
});

function sealed(id: string, run_id: string) {
  const changeset = buildChangeset({ changeset_id: id, thread_id: "thread-1", run_id, messages: [buildMessage(id)] });
  return { changeset: sealChangeset(changeset) };
}
