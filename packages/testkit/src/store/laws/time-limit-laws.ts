import { type ToolCallRecord, UNUSED_WAKE_PAUSE_MS } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import type { RunDriver } from "../run-driver.ts";
import { LEASE_MS, type StoreBench } from "../store-bench.ts";

/** A run that waits for calls, each with a time limit in milliseconds, or null for none. */
async function ask(
  bench: StoreBench,
  limits: Readonly<Record<string, number | null>>,
): Promise<{ readonly owner: RunDriver; readonly calls: readonly ToolCallRecord[] }> {
  const owner = await bench.start();
  const now = await bench.operator.now();
  const calls = Object.entries(limits).map(([id, limit]) =>
    owner.call(id, { status: "suspended", suspension: 1, ...(limit !== null && { expires_at: now + limit }) }),
  );
  await owner.become("waiting", { calls });
  return { owner, calls };
}

/** Questions that run out, in the store's time. */
export function timeLimitLaws(law: Law): void {
  law("tells its time, from which leases are counted", async (bench) => {
    const before = await bench.operator.now();
    const { claim } = await bench.start();
    const after = await bench.operator.now();
    expect(claim.lease_until - LEASE_MS).toBeGreaterThanOrEqual(before);
    expect(claim.lease_until - LEASE_MS).toBeLessThanOrEqual(after);
    await bench.advance(5_000);
    expect((await bench.operator.now()) - before).toBeGreaterThanOrEqual(5_000);
  });

  law("wakes a waiting run when its question runs out, and forgets about it when the run is done", async (bench) => {
    const { owner } = await ask(bench, { c1: 60_000 });
    expect(await bench.claim()).toEqual([]);
    await bench.advance(60_000);
    const claim = await bench.claimOne();
    expect(claim).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
    const again = await bench.take(claim);
    await again.become("done");
    await bench.advance(60_000);
    expect(await bench.claim()).toEqual([]);
    expect((await bench.tenant.listEntries({ status: "queued" })).items).toEqual([]);
  });

  law("wakes a waiting run for each of its questions in turn", async (bench) => {
    const { calls } = await ask(bench, { c1: 60_000, c2: 20_000, c3: null, c4: 40_000 });
    for (const id of ["c2", "c4", "c1"]) {
      expect(await bench.claim()).toEqual([]);
      await bench.advance(20_000);
      const owner = await bench.take(await bench.claimOne());
      const ended = calls
        .filter(({ call_id }) => call_id === id)
        .map((call) => ({ ...call, status: "cancelled" as const }));
      await owner.become("waiting", { calls: ended });
    }
    await bench.advance(600_000);
    expect(await bench.claim()).toEqual([]);
  });

  law("never loses a wake whose owner decided nothing: the run is woken again a while later", async (bench) => {
    await ask(bench, { c1: 5_000 });
    await bench.advance(5_000);
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const owner = await bench.take(await bench.claimOne());
      await owner.become("waiting");
      expect(await bench.claim(), "not at once").toEqual([]);
      await bench.advance(UNUSED_WAKE_PAUSE_MS);
    }
  });

  law("never loses a wake that came while its run was at work", async (bench) => {
    const { owner } = await ask(bench, { c1: 5_000 });
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const next = await bench.take(await bench.claimOne());
    await next.become("running");
    await bench.advance(6_000);
    await next.become("waiting");
    await bench.advance(UNUSED_WAKE_PAUSE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "resume" });
  });

  law("wakes a worker at most once for the time limit of a question that was decided", async (bench) => {
    const { owner, calls } = await ask(bench, { c1: 5_000, c2: null });
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const next = await bench.take(await bench.claimOne());
    const [c1] = calls;
    await next.become("waiting", {
      calls: c1 === undefined ? [] : [{ ...c1, status: "succeeded" }],
      consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }],
    });
    await bench.advance(5_000);
    for (const claim of await bench.claim()) await (await bench.take(claim)).become("waiting");
    await bench.advance(60_000);
    expect(await bench.claim()).toEqual([]);
  });

  law("refuses a decision on a question whose time is up, whatever its sender's clock says", async (bench) => {
    const { owner } = await ask(bench, { c1: 5_000, c2: 5_000 });
    const decision = buildDecision({ run_id: owner.runId, call_id: "c1", updated_at: 0 });
    const late = buildDecision({ run_id: owner.runId, call_id: "c2", updated_at: 0 });
    await bench.tenant.decide(decision);
    await bench.advance(5_000);
    const refused = await expectRefusal(bench.tenant.decide(late), "NOT_SUSPENDED");
    expect(refused.message).toContain("its time is up");
    await expectRefusal(bench.tenant.decide(late, { early: true }), "NOT_SUSPENDED");
    expect(await bench.tenant.loadDecision(owner.runId, "c2", 1)).toBeUndefined();
    expect(await bench.tenant.decide(decision), "the same again is answered").toEqual(decision);
    await expectRefusal(bench.tenant.decide({ ...decision, decision_id: "rival" }), "DECISION_CONFLICT");
  });
}
