import { expect } from "vitest";
import { buildDecision, buildMessage } from "../../build/build-records.ts";
import { captureTenant } from "../capture-tenant.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS, StoreBench } from "../store-bench.ts";

function benchOf(bench: StoreBench, tenant: string): StoreBench {
  const store = { ...bench.store, forTenant: () => bench.store.forTenant(tenant) };
  return new StoreBench({ store, advance: bench.advance, close: async () => {} });
}

/** Tenants are separate worlds. */
export function tenantLaws(law: Law): void {
  law("keeps the same ids of two tenants apart", async (bench) => {
    const [one, two] = [benchOf(bench, "one"), benchOf(bench, "two")];
    const first = await one.start("thread-1", { messages: [buildMessage("m1", { content: "of one" })] });
    const empty = await captureTenant(two.tenant);
    expect(empty).toMatchObject({ head: undefined, runs: [] });
    const second = await two.start("thread-1", { messages: [buildMessage("m1", { content: "of two" })] });
    expect(second.runId).toBe(first.runId);
    await first.commit({ calls: [first.call("c1")] });
    expect(await two.tenant.loadCall(second.runId, "c1")).toBeUndefined();
    expect((await one.tenant.listMessages("thread-1")).messages[0]?.content).toBe("of one");
    expect((await two.tenant.listMessages("thread-1")).messages[0]?.content).toBe("of two");
    await first.become("done");
    expect((await two.tenant.loadRun(second.runId))?.status).toBe("running");
    await one.tenant.deleteThread("thread-1");
    expect((await two.tenant.loadThread("thread-1"))?.thread.version).toBe(1);
  });

  law("finds nothing of one tenant through another", async (bench) => {
    const owner = await benchOf(bench, "one").start();
    await owner.suspend("c1");
    const stranger = bench.store.forTenant("two");
    await expectRefusal(stranger.decide(buildDecision({ run_id: owner.runId, call_id: "c1" })), "RUN_NOT_FOUND");
    await expectRefusal(stranger.requestCancel(owner.runId, "mine?"), "RUN_NOT_FOUND");
    await expectRefusal(stranger.deleteThread("thread-1"), "THREAD_NOT_FOUND");
    expect(await stranger.readEvents(owner.runId, 0)).toEqual([]);
    expect(await stranger.readInbox("thread-1", owner.runId)).toEqual({ decisions: [] });
  });

  law("claims for all tenants and says whose thread it is", async (bench) => {
    for (const tenant of ["one", "two"]) await benchOf(bench, tenant).enqueue();
    const claims = await bench.operator.claim({ owner: "o", lease_ms: LEASE_MS, limit: 10 });
    expect(claims.map(({ tenant, thread_id }) => [tenant, thread_id]).toSorted()).toEqual([
      ["one", "thread-1"],
      ["two", "thread-1"],
    ]);
    const [first] = claims;
    await bench.operator.release(first ?? expect.fail());
    expect(await bench.claim()).toMatchObject([{ tenant: first?.tenant }]);
  });

  law("refuses a tenant id that could be a path", async ({ store }) => {
    for (const tenant of ["", "..", "a/b", "\u0000"]) {
      await expectRefusal(
        Promise.resolve().then(() => store.forTenant(tenant).loadThread("t")),
        "INVALID_ID",
      );
    }
  });
}
