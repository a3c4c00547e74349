import { MAX_METADATA_BYTES } from "@reprise/contracts";
import { applyPatches } from "@reprise/state";
import { expect } from "vitest";
import { buildMessage, buildPatch } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS, type StoreBench } from "../store-bench.ts";

async function stateOf({ tenant }: StoreBench, threadId: string): Promise<unknown> {
  const versions = await tenant.readPatches(threadId, 0);
  return applyPatches(
    {},
    versions.flatMap(({ patches }) => patches),
  );
}

/** Whole threads: made, changed, forked, taken. */
export function threadLaws(law: Law): void {
  law("makes a thread, once", async ({ tenant }) => {
    const made = await tenant.createThread({ thread_id: "t", resource_id: "someone", metadata: { title: "A" } });
    expect(made).toMatchObject({ thread_id: "t", resource_id: "someone", metadata: { title: "A" }, version: 0 });
    expect(await tenant.loadThread("t")).toEqual({ thread: made, generation: 0 });
    await expectRefusal(tenant.createThread({ thread_id: "t", metadata: {} }), "THREAD_EXISTS");
  });

  law("replaces the keys of the metadata that are given", async ({ tenant, advance }) => {
    const made = await tenant.createThread({ thread_id: "t", metadata: { title: "A", tags: ["x"] } });
    await advance(5);
    const changed = await tenant.updateThread("t", { title: "B", note: null });
    expect(changed.metadata).toEqual({ title: "B", tags: ["x"], note: null });
    expect(changed).toMatchObject({ version: 0, created_at: made.created_at });
    expect(changed.updated_at).toBeGreaterThan(made.updated_at);
    expect((await tenant.loadThread("t"))?.thread).toEqual(changed);
    await expectRefusal(tenant.updateThread("nowhere", {}), "THREAD_NOT_FOUND");
  });

  law("refuses metadata that is too long as a whole, and keeps what it has", async ({ tenant }) => {
    const long = "x".repeat(MAX_METADATA_BYTES - 100);
    const thread = await tenant.createThread({ thread_id: "t", metadata: { long } });
    await expectRefusal(tenant.updateThread("t", { more: "x".repeat(100) }), "INVALID_REQUEST");
    expect((await tenant.loadThread("t"))?.thread).toEqual(thread);
    const made = tenant.createThread({ thread_id: "t2", metadata: { long, more: "ü".repeat(50) } });
    await expectRefusal(made, "INVALID_REQUEST");
    expect(await tenant.loadThread("t2")).toBeUndefined();
  });

  law("lists threads newest first, by resource and parent, in pages", async ({ tenant, advance }) => {
    for (const [thread_id, resource_id, parent] of [
      ["t1", "a", ""],
      ["t2", "b", "t1"],
      ["t3", "a", "t1"],
    ] as const) {
      const parent_thread_id = parent === "" ? {} : { parent_thread_id: parent };
      await tenant.createThread({ thread_id, resource_id, metadata: {}, ...parent_thread_id });
      await advance(1);
    }
    const find = async (query: Parameters<typeof tenant.listThreads>[0]) =>
      (await tenant.listThreads(query)).items.map(({ thread_id }) => thread_id);
    expect(await find({})).toEqual(["t3", "t2", "t1"]);
    expect(await find({ resource_id: "a" })).toEqual(["t3", "t1"]);
    expect(await find({ parent_thread_id: "t1" })).toEqual(["t3", "t2"]);
    expect(await tenant.listThreads({ offset: 1, limit: 1 })).toMatchObject({ total: 3, has_more: true });
  });

  law("forks a thread with the messages and the state it had at a version", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m0")] });
    await owner.commit({ messages: [buildMessage("m1")], supersedes: ["m0"], patches: [buildPatch("p1", "n", 1)] });
    await owner.commit({ messages: [buildMessage("m2")], supersedes: ["m1"], patches: [buildPatch("p2", "n", 2)] });
    await bench.tenant.updateThread("thread-1", { title: "A" });
    const fork = await bench.tenant.forkThread("thread-1", 2, "fork");
    expect(fork).toMatchObject({
      thread_id: "fork",
      parent_thread_id: "thread-1",
      metadata: { title: "A" },
      version: 1,
    });
    expect((await bench.tenant.listMessages("fork")).messages.map(({ id }) => id)).toEqual(["m1"]);
    const all = await bench.tenant.listMessages("fork", { include_superseded: true });
    expect(all.messages.map(({ id, cursor }) => [id, cursor])).toEqual([
      ["m0", 0],
      ["m1", 1],
    ]);
    expect(await stateOf(bench, "fork")).toEqual({ n: 1 });
    expect((await bench.tenant.readChangesets("fork", 0))[0]).toMatchObject({
      reasons: ["fork"],
      run_id: null,
      runs: [],
    });
    expect((await bench.tenant.loadThread("fork"))?.open_run).toBeUndefined();
  });

  law("keeps a fork and its source apart", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m0")] });
    await bench.tenant.forkThread("thread-1", 1, "fork");
    await owner.commit({ messages: [buildMessage("m1")] });
    await bench.start("fork", { messages: [buildMessage("m2")] });
    const ids = async (threadId: string) => (await bench.tenant.listMessages(threadId)).messages.map(({ id }) => id);
    expect([await ids("thread-1"), await ids("fork")]).toEqual([
      ["m0", "m1"],
      ["m0", "m2"],
    ]);
    await owner.become("done");
    await bench.tenant.deleteThread("thread-1");
    expect(await ids("fork")).toEqual(["m0", "m2"]);
  });

  law("refuses a fork of nothing, of a version to come, and onto a thread that is there", async (bench) => {
    await bench.start();
    await expectRefusal(bench.tenant.forkThread("nowhere", 0, "fork"), "THREAD_NOT_FOUND");
    await expectRefusal(bench.tenant.forkThread("thread-1", 2, "fork"), "INVALID_REQUEST");
    await expectRefusal(bench.tenant.forkThread("thread-1", 1, "thread-1"), "THREAD_EXISTS");
    expect(await bench.tenant.loadThread("fork")).toBeUndefined();
  });

  law("takes a thread with everything it has", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m0")] });
    await owner.commit({ calls: [owner.call("c1")] });
    await expectRefusal(bench.tenant.deleteThread("thread-1"), "THREAD_BUSY");
    await owner.suspend("c1");
    await bench.enqueue({ dedupe_key: "key" });
    const kept = await bench.start("thread-2");
    await bench.tenant.deleteThread("thread-1");
    expect(await bench.tenant.loadThread("thread-1")).toBeUndefined();
    expect(await bench.tenant.loadRun(owner.runId)).toBeUndefined();
    expect(await bench.tenant.loadCall(owner.runId, "c1")).toBeUndefined();
    expect((await bench.tenant.listMessages("thread-1")).messages).toEqual([]);
    expect((await bench.tenant.listRuns()).items.map(({ run_id }) => run_id)).toEqual([kept.runId]);
    expect((await bench.tenant.listEntries({ thread_id: "thread-1" })).total).toBe(0);
    expect(await bench.claim()).toEqual([]);
    await expectRefusal(bench.tenant.deleteThread("thread-1"), "THREAD_NOT_FOUND");
    await expectRefusal(owner.commit(), "THREAD_NOT_FOUND");
  });

  law("has no work on a thread that was taken", async (bench) => {
    await bench.enqueue();
    await bench.tenant.deleteThread("thread-1");
    expect(await bench.claim()).toEqual([]);
  });

  law("does not take a thread from under a live claim", async (bench) => {
    await bench.enqueue();
    await bench.claimOne();
    await expectRefusal(bench.tenant.deleteThread("thread-1"), "THREAD_BUSY");
    await bench.advance(LEASE_MS);
    await bench.tenant.deleteThread("thread-1");
    expect(await bench.claim()).toEqual([]);
  });
}
