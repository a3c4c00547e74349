import { BLOB_GRACE_MS, type BlobStore, type Store } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { buildChangeset } from "../build/build-changeset.ts";
import { buildMessage, buildPatch } from "../build/build-records.ts";
import type { OpenedStore } from "../store/open-store.ts";
import { StoreBench } from "../store/store-bench.ts";
import { makeBytes } from "./blob-content.ts";

const TENANT = "tenant-1";

/** A store under test with the blobs of its threads. */
export interface OpenedStoreWithBlobs extends OpenedStore {
  readonly store: Store & { readonly blobs: BlobStore };
}

/** What a law about collecting works with. */
class BlobBench extends StoreBench {
  readonly blobs: BlobStore;
  #made = 0;

  constructor(opened: OpenedStoreWithBlobs) {
    super(opened);
    this.blobs = opened.store.blobs;
  }

  /** Puts a blob that nothing else is like. */
  async put(tenant = TENANT): Promise<string> {
    this.#made += 1;
    return (await this.blobs.put(tenant, makeBytes(100 + this.#made, this.#made))).ref;
  }

  /** Lets the day of every blob pass. A store may take an hour more. */
  async waitADay(): Promise<void> {
    await this.advance(BLOB_GRACE_MS + 2 * 60 * 60 * 1_000);
  }

  /** The blobs by a second handle, where the store can have one. */
  async otherBlobs(): Promise<BlobStore> {
    const other = await this.otherHandle();
    // Every handle of a store that brings blobs does.
    return (other as OpenedStoreWithBlobs["store"]).blobs;
  }

  async has(ref: string, tenant = TENANT): Promise<boolean> {
    return this.blobs.get(tenant, ref).then(
      () => true,
      () => false,
    );
  }

  /** Puts a message into a thread that no worker has. */
  async say(threadId: string, content: string): Promise<void> {
    const version = (await this.tenant.loadThread(threadId))?.thread.version;
    if (version === undefined) await this.tenant.createThread({ thread_id: threadId, metadata: {} });
    const changeset = buildChangeset({
      changeset_id: this.name("changeset"),
      thread_id: threadId,
      messages: [buildMessage(this.name("message"), { content })],
    });
    await this.tenant.commit(changeset, { expected: version ?? 0, epoch: null });
  }
}

/** The laws of collecting blobs, for every store that brings the blobs of its threads. */
export function describeBlobCollection(name: string, open: () => Promise<OpenedStoreWithBlobs>): void {
  const law = (sentence: string, prove: (bench: BlobBench) => Promise<void>): void =>
    it(sentence, async () => {
      const opened = await open();
      try {
        await prove(new BlobBench(opened));
      } finally {
        await opened.close();
      }
    });

  describe(`issue 14.17: the ${name} store collects blobs`, () => {
    law("that nothing refers to, a day after they were put and not before", async (bench) => {
      const ref = await bench.put();
      await bench.advance(BLOB_GRACE_MS - 1);
      expect([await bench.blobs.collect(), await bench.has(ref)]).toEqual([0, true]);
      await bench.waitADay();
      expect([await bench.blobs.collect(), await bench.has(ref)]).toEqual([1, false]);
      expect(await bench.blobs.collect()).toBe(0);
    });

    law("but none that a message, a state, a call or a list of references names", async (bench) => {
      const [said, part, kept, listed, loose] = [
        await bench.put(),
        await bench.put(),
        await bench.put(),
        await bench.put(),
        await bench.put(),
      ];
      const owner = await bench.start("thread-1", {
        messages: [
          buildMessage("m1", { content: `Look at media://${said}.` }),
          buildMessage("m2", { content: [{ type: "image", url: part }] }),
        ],
        blob_refs: [listed],
      });
      await owner.commit({ patches: [buildPatch("p1", "avatar", { url: kept })] });
      await owner.become("done");
      await bench.waitADay();
      expect(await bench.blobs.collect()).toBe(1);
      const found = [said, part, kept, listed, loose].map((ref) => bench.has(ref));
      expect(await Promise.all(found)).toEqual([true, true, true, true, false]);
    });

    law("but none that a run at work refers to, whichever handle collects", async (bench) => {
      const owner = await bench.start();
      const ref = await bench.put();
      await owner.commit({ messages: [buildMessage("m1", { role: "assistant", content: `It is ${ref}.` })] });
      await bench.waitADay();
      const other = await bench.otherBlobs();
      expect([await other.collect(), await bench.has(ref)]).toEqual([0, true]);
    });

    law("but none that a queued run brings, also when the run is cancelled later", async (bench) => {
      const ref = await bench.put();
      const entry = await bench.enqueue({
        thread_id: "queued",
        request: { agent_id: "agent-1", messages: [{ id: "m1", role: "user", content: [{ type: "file", url: ref }] }] },
      });
      await bench.waitADay();
      expect(await bench.blobs.collect()).toBe(0);
      await bench.tenant.requestCancel(entry.run_id, "never mind");
      expect([await bench.blobs.collect(), await bench.has(ref)]).toEqual([0, true]);
    });

    law("when the last thread that refers to them is deleted", async (bench) => {
      const ref = await bench.put();
      await bench.say("one", `It is ${ref}.`);
      await bench.say("two", `It is ${ref} again.`);
      await bench.waitADay();
      await bench.tenant.deleteThread("one");
      expect(await bench.blobs.collect()).toBe(0);
      await bench.tenant.deleteThread("two");
      expect([await bench.blobs.collect(), await bench.has(ref)]).toEqual([1, false]);
    });

    law("but none of a thread whose history is pruned, nor of its fork when the thread is deleted", async (bench) => {
      const [said, listed] = [await bench.put(), await bench.put()];
      const owner = await bench.start("origin", {
        messages: [buildMessage("m1", { content: `It is ${said}.` })],
        blob_refs: [listed],
      });
      await owner.become("done");
      const base_version = (await bench.tenant.loadThread("origin"))?.thread.version ?? 0;
      const next = await bench.start("origin");
      next.run = { ...next.run, base_version };
      await next.become("done");
      expect((await bench.operator.prune({ historyVersions: 1 })).versions).toBeGreaterThan(0);
      const version = (await bench.tenant.loadThread("origin"))?.thread.version ?? 0;
      await bench.tenant.forkThread("origin", version, "fork");
      await bench.tenant.deleteThread("origin");
      await bench.waitADay();
      expect(await bench.blobs.collect()).toBe(0);
      await bench.tenant.deleteThread("fork");
      expect(await bench.blobs.collect()).toBe(2);
      expect([await bench.has(said), await bench.has(listed)]).toEqual([false, false]);
    });

    law("but none that was put again within the day", async (bench) => {
      const content = makeBytes(300_000, 7);
      const { ref } = await bench.blobs.put(TENANT, content);
      await bench.waitADay();
      await bench.blobs.put(TENANT, content);
      await bench.advance(BLOB_GRACE_MS - 1);
      expect([await bench.blobs.collect(), await bench.has(ref)]).toEqual([0, true]);
      await bench.waitADay();
      expect(await bench.blobs.collect()).toBe(1);
    });

    law("of each tenant by its own threads", async (bench) => {
      const content = makeBytes(50, 1);
      const { ref } = await bench.blobs.put(TENANT, content);
      await bench.blobs.put("tenant-2", content);
      await bench.say("one", ref);
      await bench.waitADay();
      expect(await bench.blobs.collect()).toBe(1);
      expect([await bench.has(ref), await bench.has(ref, "tenant-2")]).toEqual([true, false]);
    });

    law("when it is pruned, and by itself when blobs are put", async (bench) => {
      await bench.put();
      await bench.waitADay();
      expect(await bench.operator.prune({})).toMatchObject({ blobs: 1 });
      const ref = await bench.put();
      await bench.waitADay();
      await bench.put();
      await expect.poll(() => bench.has(ref)).toBe(false);
    });

    law("of many pages, large ones and small ones", async (bench) => {
      const kept = await bench.put();
      await bench.say("one", kept);
      for (let index = 0; index < 12; index += 1) await bench.put();
      await bench.blobs.put(TENANT, makeBytes(600_000, 1));
      await bench.waitADay();
      expect(await bench.blobs.collect()).toBe(13);
      expect(await bench.has(kept)).toBe(true);
    });

    law("and gives a tenant no more bytes than its quota", async (bench) => {
      const { blobs } = bench;
      const { ref } = await blobs.put(TENANT, makeBytes(600, 1), { quota_bytes: 1_000 });
      await blobs.put("tenant-2", makeBytes(900, 1), { quota_bytes: 1_000 });
      expect([await blobs.usage(TENANT), await blobs.usage("tenant-2"), await blobs.usage("none")]).toEqual([
        600, 900, 0,
      ]);
      const refused = { code: "BLOB_QUOTA_EXCEEDED", details: { bytes: 401, used: 600, quota_bytes: 1_000 } };
      await expect(blobs.put(TENANT, makeBytes(401, 2), { quota_bytes: 1_000 })).rejects.toMatchObject(refused);
      // What is there costs nothing more.
      expect((await blobs.put(TENANT, makeBytes(600, 1), { quota_bytes: 1_000 })).ref).toBe(ref);
      await blobs.put(TENANT, makeBytes(400, 2), { quota_bytes: 1_000 });
      expect(await blobs.usage(TENANT)).toBe(1_000);
      const large = makeBytes(600_000, 3);
      await expect(blobs.put(TENANT, large, { quota_bytes: 1_000 })).rejects.toMatchObject({
        code: "BLOB_QUOTA_EXCEEDED",
      });
      await blobs.delete(TENANT, ref);
      expect(await blobs.usage(TENANT)).toBe(400);
    });

    law("and keeps to the quota when many are put at once, small ones and large ones", async (bench) => {
      const handles = [bench.blobs, await bench.otherBlobs()];
      for (const bytes of [300, 300_000]) {
        const tenant = `tenant-${bytes}`;
        const quota_bytes = 3 * bytes + 1;
        const puts = Array.from({ length: 10 }, async (_, seed) => {
          const blobs = handles[seed % 2] ?? bench.blobs;
          return blobs.put(tenant, makeBytes(bytes, seed + 1), { quota_bytes });
        });
        const outcomes = await Promise.allSettled(puts);
        const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
        expect(refused).toEqual(Array.from({ length: 7 }, () => "BLOB_QUOTA_EXCEEDED"));
        expect(await bench.blobs.usage(tenant)).toBe(3 * bytes);
      }
    });
  });
}
