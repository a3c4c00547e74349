import { expect } from "vitest";
import { buildDecision, buildEvents, buildMessage } from "../../build/build-records.ts";
import { captureTenant } from "../capture-tenant.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS } from "../store-bench.ts";

/** Two handles on the same data, as two processes have. For a store that can have only one, both are the same. */
export function handleLaws(law: Law): void {
  law("shows every handle what any of them wrote", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m1")] });
    await owner.commit({ calls: [owner.call("c1")], events: buildEvents(owner.run, 1, 3) });
    await bench.enqueue();
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    expect(await captureTenant(other)).toEqual(await captureTenant(bench.tenant));
    await owner.commit({ messages: [buildMessage("m2")] });
    expect((await other.listMessages("thread-1")).messages.map(({ id }) => id)).toEqual(["m1", "m2"]);
  });

  law("fences an owner off from every handle", async (bench) => {
    const owner = await bench.start();
    await bench.advance(LEASE_MS);
    const other = await bench.otherHandle();
    const [taken] = await other.operator.claim({ owner: "other", lease_ms: LEASE_MS, limit: 1 });
    expect(taken).toMatchObject({ kind: "recover" });
    await expectRefusal(owner.commit(), "STALE_EPOCH");
    expect(await bench.operator.renew([owner.claim], LEASE_MS)).toEqual([]);
  });

  law("takes a decision through one handle and resumes through another", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const other = await bench.otherHandle();
    await other.forTenant("tenant-1").decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    expect(await bench.claimOne()).toMatchObject({ kind: "resume" });
    expect(await other.operator.claim({ owner: "other", lease_ms: LEASE_MS, limit: 1 })).toEqual([]);
  });

  law("answers a changeset that another handle stored with its version", async (bench) => {
    const owner = await bench.start();
    const changeset = await owner.commit();
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    expect(await other.commit(changeset, { expected: 1, epoch: owner.claim.epoch })).toEqual({ version: 2 });
  });
}
