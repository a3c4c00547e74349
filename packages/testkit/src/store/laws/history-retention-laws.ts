import type { Changeset } from "@reprise/contracts";
import { applyPatches, type Json } from "@reprise/state";
import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildDecision, buildEvents, buildMessage, buildPatch } from "../../build/build-records.ts";
import { captureTenant } from "../capture-tenant.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import type { RunDriver } from "../run-driver.ts";
import { LEASE_MS, type StoreBench } from "../store-bench.ts";

/** Starts a run whose row tells the truth about when and where it began; one version. */
async function begin(bench: StoreBench, number: number, threadId = "thread-1"): Promise<RunDriver> {
  const now = (await bench.tenant.createThread({ thread_id: bench.name("clock"), metadata: {} })).created_at;
  const base_version = (await bench.tenant.loadThread(threadId))?.thread.version ?? 0;
  const owner = await bench.start(threadId, {
    messages: [buildMessage(`${threadId}-m${number}`)],
    patches: [buildPatch(`p${number}`, `k${number}`, number)],
  });
  owner.run = { ...owner.run, base_version, created_at: now, updated_at: now };
  return owner;
}

/** Four whole runs of two versions each: versions 1 to 8. */
async function fill(bench: StoreBench, threadId = "thread-1"): Promise<readonly Changeset[]> {
  const ends: Changeset[] = [];
  for (let number = 1; number <= 4; number += 1) {
    const owner = await begin(bench, number, threadId);
    const events = buildEvents(owner.run, 1, 2);
    owner.run = { ...owner.run, last_seq: 2 };
    ends.push(await owner.become("done", { events, patches: [buildPatch(`q${number}`, "last", number)] }));
  }
  return ends;
}

/** The state as any reader folds it: the newest snapshot and the patches after it. */
async function stateOf(bench: StoreBench, version?: number): Promise<Json> {
  const snapshot = await bench.tenant.loadSnapshot("thread-1", version);
  const tail = await bench.tenant.readPatches("thread-1", snapshot?.version ?? 0, version);
  return applyPatches(
    snapshot?.state ?? {},
    tail.flatMap(({ patches }) => patches),
  );
}

/** What stays of a thread whose history was cut. */
async function captureLasting(bench: StoreBench): Promise<unknown> {
  const { tenant } = bench;
  return {
    head: await tenant.loadThread("thread-1"),
    messages: await tenant.listMessages("thread-1", { visibility: "any", include_superseded: true }),
    read: await tenant.readMessages("thread-1", 0),
    runs: await tenant.listRuns(),
    calls: await tenant.listCalls({ thread_id: "thread-1" }),
    entries: await tenant.listEntries(),
    state: await stateOf(bench),
  };
}

/** Forgetting how a thread came to what it is. */
export function historyRetentionLaws(law: Law): void {
  law("forgets nothing when nothing may be forgotten", async (bench) => {
    await fill(bench);
    const before = await captureTenant(bench.tenant);
    expect(await bench.operator.prune({})).toEqual({ versions: 0, entries: 0, threads: 0, documents: 0, blobs: 0 });
    expect(await bench.operator.prune({ historyVersions: 9 })).toEqual({
      versions: 0,
      entries: 0,
      threads: 0,
      documents: 0,
      blobs: 0,
    });
    expect(await captureTenant(bench.tenant)).toEqual(before);
  });

  law("cuts a thread's history between two runs, and keeps what the thread says and is", async (bench) => {
    await fill(bench);
    const before = await captureLasting(bench);
    const tail = await bench.tenant.readChangesets("thread-1", 6);
    expect(await bench.operator.prune({ historyVersions: 2 })).toEqual({
      versions: 6,
      entries: 0,
      threads: 0,
      documents: 0,
      blobs: 0,
    });
    expect(await captureLasting(bench)).toEqual(before);
    expect(await bench.tenant.readChangesets("thread-1", 6)).toEqual(tail);
    expect((await bench.tenant.readPatches("thread-1", 6)).map(({ version }) => version)).toEqual([7, 8]);
    expect(await stateOf(bench, 6)).toEqual({ k1: 1, k2: 2, k3: 3, last: 3 });
    expect(await bench.operator.prune({ historyVersions: 2 })).toEqual({
      versions: 0,
      entries: 0,
      threads: 0,
      documents: 0,
      blobs: 0,
    });
  });

  law("says of what is gone that it is gone", async (bench) => {
    const [first, , , last] = await fill(bench);
    await bench.operator.prune({ historyVersions: 2 });
    const { tenant } = bench;
    await expectRefusal(tenant.readPatches("thread-1", 0), "VERSION_GONE");
    await expectRefusal(tenant.readPatches("thread-1", 5), "VERSION_GONE");
    await expectRefusal(tenant.readChangesets("thread-1", 0), "VERSION_GONE");
    await expectRefusal(tenant.forkThread("thread-1", 3, "fork"), "VERSION_GONE");
    await expectRefusal(tenant.readEvents(first?.run_id ?? "", 0), "VERSION_GONE");
    expect((await tenant.readEvents(last?.run_id ?? "", 0)).flatMap(({ events }) => events)).toHaveLength(2);
    expect(await tenant.loadThread("fork")).toBeUndefined();
  });

  law("knows the changesets it has forgotten by their ids", async (bench) => {
    const ends = await fill(bench);
    await bench.operator.prune({ historyVersions: 2 });
    for (const [index, changeset] of ends.entries()) {
      const guard = { expected: 0, epoch: 999 };
      expect(await bench.tenant.commit(changeset, guard)).toEqual({ version: 2 * (index + 1) });
    }
    expect((await bench.tenant.loadThread("thread-1"))?.thread.version).toBe(8);
  });

  law("continues a thread whose history was cut", async (bench) => {
    await fill(bench);
    await bench.operator.prune({ historyVersions: 2 });
    const next = await begin(bench, 5);
    await next.become("done", { patches: [buildPatch("q5", "last", 5)] });
    expect(await stateOf(bench)).toEqual({ k1: 1, k2: 2, k3: 3, k4: 4, k5: 5, last: 5 });
    await bench.tenant.forkThread("thread-1", 7, "fork");
    expect((await bench.tenant.listMessages("fork")).messages).toHaveLength(4);
    const duplicate = next.commit({ messages: [buildMessage("thread-1-m1")] });
    await expectRefusal(duplicate, "STALE_EPOCH");
    const outside = buildChangeset({ changeset_id: "outside", messages: [buildMessage("thread-1-m1")] });
    await expectRefusal(bench.tenant.commit(outside, { expected: "any", epoch: null }), "INVALID_REQUEST");
  });

  law("cuts what came before a run that began long ago", async (bench) => {
    await fill(bench);
    await bench.advance(10_000);
    const young = await begin(bench, 5);
    await young.become("done");
    await bench.advance(1_000);
    expect(await bench.operator.prune({ historyAgeMs: 60_000 })).toMatchObject({ versions: 0 });
    // The youngest run that is old enough is the fourth: what came before it goes.
    expect(await bench.operator.prune({ historyAgeMs: 5_000 })).toMatchObject({ versions: 6 });
    expect((await bench.tenant.readPatches("thread-1", 6)).map(({ version }) => version)).toEqual([7, 8, 9, 10]);
  });

  law("never cuts above where a waiting run began, and lets it go on", async (bench) => {
    await fill(bench);
    const owner = await begin(bench, 5);
    await owner.suspend("c1");
    expect(await bench.operator.prune({ historyVersions: 0 })).toMatchObject({ versions: 8 });
    expect((await bench.tenant.readPatches("thread-1", 8)).map(({ version }) => version)).toEqual([9, 10]);
    expect(await stateOf(bench, owner.run.base_version)).toEqual({ k1: 1, k2: 2, k3: 3, k4: 4, last: 4 });
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const again = await bench.take(await bench.claimOne());
    await again.become("done", {
      calls: [again.call("c1", { status: "succeeded", suspension: 1 })],
      consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }],
    });
    expect(await bench.tenant.loadDecision(owner.runId, "c1", 1)).toBeDefined();
  });

  law("never cuts above where a fork began", async (bench) => {
    await fill(bench);
    await bench.tenant.forkThread("thread-1", 4, "fork");
    expect(await bench.operator.prune({ historyVersions: 0 })).toMatchObject({ versions: 4 });
    expect((await bench.tenant.readPatches("thread-1", 4)).map(({ version }) => version)).toEqual([5, 6, 7, 8]);
  });

  law("skips a thread that a worker holds", async (bench) => {
    await fill(bench);
    await fill(bench, "thread-2");
    const owner = await begin(bench, 5);
    expect(await bench.operator.prune({ historyVersions: 2 })).toMatchObject({ versions: 6 });
    expect(await bench.tenant.readPatches("thread-1", 0)).toHaveLength(9);
    await expectRefusal(bench.tenant.readPatches("thread-2", 0), "VERSION_GONE");
    await owner.become("done");
    expect(await bench.operator.renew([owner.claim], LEASE_MS)).toEqual([]);
    expect(await bench.operator.prune({ historyVersions: 2 })).toMatchObject({ versions: 8 });
  });

  law("stops between two threads when it is told to", async (bench) => {
    await fill(bench);
    const stopped = AbortSignal.abort(new Error("told to"));
    await expect(bench.operator.prune({ historyVersions: 0 }, stopped)).rejects.toThrow("told to");
    expect(await bench.tenant.readPatches("thread-1", 0)).toHaveLength(8);
  });
}
