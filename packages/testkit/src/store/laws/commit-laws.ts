import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildEvents, buildMessage, buildPatch, buildRun } from "../../build/build-records.ts";
import { captureTenant } from "../capture-tenant.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";

/** What a commit does, how often, and who may. */
export function commitLaws(law: Law): void {
  law("counts versions by one, from the first changeset on", async (bench) => {
    const owner = await bench.start();
    expect(owner.version).toBe(1);
    await owner.commit();
    await owner.commit();
    expect(owner.version).toBe(3);
    expect((await bench.tenant.loadThread("thread-1"))?.thread.version).toBe(3);
    expect((await bench.tenant.readChangesets("thread-1", 0)).map(({ version }) => version)).toEqual([1, 2, 3]);
  });

  law("keeps a changeset as it was given", async (bench) => {
    const owner = await bench.start();
    const changeset = await owner.commit({
      reasons: ["assistant_turn", "tool_intent"],
      messages: [
        buildMessage("m1", { role: "assistant", tool_calls: [{ id: "c1", name: "t", arguments: { a: [1] } }] }),
      ],
      patches: [buildPatch("p1", "n", 1)],
      actions: [{ source: "tool", call_id: "c1", action: { state: "n", action: "add", args: [1] } }],
      events: buildEvents({ run_id: owner.runId, thread_id: "thread-1" }, 1, 2),
      calls: [owner.call("c1")],
      blob_refs: ["blob:abc"],
      effects: [{ kind: "execute", of: "c1", attempt: 1, at: 7, value: { weather: "fine" } }],
    });
    const [, stored] = await bench.tenant.readChangesets("thread-1", 0);
    expect(stored).toEqual({ ...changeset, version: 2, digest: expect.any(String) });
  });

  law("answers a changeset it has with its version, whatever the guard says", async (bench) => {
    const owner = await bench.start();
    const changeset = owner.changeset({ messages: [buildMessage("m1")] });
    await bench.tenant.commit(changeset, owner.guard);
    const before = await captureTenant(bench.tenant);
    const guards = [owner.guard, { expected: 77, epoch: owner.claim.epoch }, { expected: 1, epoch: 999 }];
    for (const guard of guards) expect(await bench.tenant.commit(changeset, guard)).toEqual({ version: 2 });
    expect(await captureTenant(bench.tenant)).toEqual(before);
  });

  law("answers a changeset it has after the claim was given back", async (bench) => {
    const owner = await bench.start();
    const last = await owner.become("done");
    expect(await bench.tenant.commit(last, { expected: 1, epoch: owner.claim.epoch })).toEqual({ version: 2 });
  });

  law("looks at the epoch before the version", async (bench) => {
    const owner = await bench.start();
    await expectRefusal(bench.tenant.commit(owner.changeset(), { expected: 99, epoch: 999 }), "STALE_EPOCH");
    const conflict = bench.tenant.commit(owner.changeset(), { expected: 99, epoch: owner.claim.epoch });
    expect((await expectRefusal(conflict, "VERSION_CONFLICT")).details).toMatchObject({ expected: 99, actual: 1 });
  });

  law("takes any version from a writer that asks for none", async (bench) => {
    const owner = await bench.start();
    const guard = { expected: "any", epoch: owner.claim.epoch } as const;
    expect(await bench.tenant.commit(owner.changeset(), guard)).toEqual({ version: 2 });
    expect(await bench.tenant.commit(owner.changeset(), guard)).toEqual({ version: 3 });
  });

  law("lets one of many writers at the same version win", async (bench) => {
    const owner = await bench.start();
    const attempts = Array.from({ length: 8 }, () => bench.tenant.commit(owner.changeset(), owner.guard));
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "VERSION_CONFLICT" });
    }
    expect((await bench.tenant.loadThread("thread-1"))?.thread.version).toBe(2);
  });

  law("needs an epoch for a changeset of a run", async (bench) => {
    const owner = await bench.start();
    await expectRefusal(bench.tenant.commit(owner.changeset(), { expected: 1, epoch: null }), "INVALID_REQUEST");
  });

  law("takes a changeset from outside a run while none is running", async (bench) => {
    await bench.tenant.createThread({ thread_id: "thread-1", metadata: {} });
    const patch = (id: string) => buildChangeset({ changeset_id: id, patches: [buildPatch(id, "n", 1)] });
    expect(await bench.tenant.commit(patch("c1"), { expected: 0, epoch: null })).toEqual({ version: 1 });
    const owner = await bench.start();
    await expectRefusal(bench.tenant.commit(patch("c2"), { expected: 2, epoch: null }), "THREAD_BUSY");
    await owner.suspend("call-1");
    expect(await bench.tenant.commit(patch("c3"), { expected: 3, epoch: null })).toEqual({ version: 4 });
    await expectRefusal(bench.tenant.commit(patch("c4"), { expected: 3, epoch: null }), "VERSION_CONFLICT");
  });

  law("refuses a commit to a thread that is not there", async (bench) => {
    const attempt = bench.tenant.commit(buildChangeset({ thread_id: "nowhere" }), { expected: 0, epoch: null });
    await expectRefusal(attempt, "THREAD_NOT_FOUND");
  });

  law("replaces a run's row by the one a commit brings", async (bench) => {
    const owner = await bench.start();
    await owner.become("done", {
      runs: [{ ...owner.run, status: "done", termination_code: "natural", input_tokens: 7 }],
    });
    expect(await bench.tenant.loadRun(owner.runId)).toMatchObject({ status: "done", input_tokens: 7, recoveries: 0 });
    expect((await bench.tenant.loadThread("thread-1"))?.open_run).toBeUndefined();
  });

  law("has at most one open run on a thread", async (bench) => {
    const owner = await bench.start();
    const second = buildRun({ run_id: "second", thread_id: "thread-1" });
    await expectRefusal(owner.commit({ runs: [second] }), "THREAD_BUSY");
    await expectRefusal(owner.commit({ runs: [second, { ...owner.run, status: "waiting" }] }), "THREAD_BUSY");
    expect((await bench.tenant.loadThread("thread-1"))?.open_run?.run_id).toBe(owner.runId);
    expect(await bench.tenant.loadRun("second")).toBeUndefined();
  });

  law("never opens a run that is done", async (bench) => {
    const owner = await bench.start();
    await owner.become("done");
    const next = await bench.start();
    const reopened = next.commit({
      runs: [
        { ...owner.run, status: "running" },
        { ...next.run, status: "done" },
      ],
    });
    await expectRefusal(reopened, "ILLEGAL_TRANSITION");
  });

  law("never changes a call that is over", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ calls: [owner.call("c1", { status: "succeeded" })] });
    await expectRefusal(owner.commit({ calls: [owner.call("c1", { status: "running" })] }), "ILLEGAL_TRANSITION");
    expect(await bench.tenant.loadCall(owner.runId, "c1")).toMatchObject({ status: "succeeded" });
  });
}
