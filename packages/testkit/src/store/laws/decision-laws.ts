import type { Decision } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";

/** Answers to calls that wait. */
export function decisionLaws(law: Law): void {
  law("stores a decision and wakes its waiting run", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    expect(await bench.claim()).toEqual([]);
    const decision = buildDecision({ run_id: owner.runId, call_id: "c1", reason: "fine", arguments: { a: 1 } });
    expect(await bench.tenant.decide(decision)).toEqual(decision);
    expect(await bench.tenant.loadDecision(owner.runId, "c1", 1)).toEqual(decision);
    const claim = await bench.claimOne();
    expect(claim).toMatchObject({ kind: "resume", run: { run_id: owner.runId }, entry: { kind: "resume" } });
    expect(await bench.tenant.readInbox("thread-1", owner.runId)).toEqual({ decisions: [decision] });
  });

  law("accepts the wake-up when its decision is consumed, and only then empties the inbox", async (bench) => {
    const owner = await bench.start();
    const [call] = await owner.suspend("c1");
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const next = await bench.take(await bench.claimOne());
    expect((await bench.tenant.readInbox("thread-1", owner.runId)).decisions).toHaveLength(1);
    await next.become("running", {
      calls: call === undefined ? [] : [{ ...call, status: "running" }],
      consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }],
    });
    expect(await bench.tenant.readInbox("thread-1", owner.runId)).toEqual({ decisions: [] });
    const resumes = (await bench.tenant.listEntries()).items.filter(({ kind }) => kind === "resume");
    expect(resumes).toMatchObject([{ status: "accepted" }]);
    const again = next.commit({ consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }] });
    await expectRefusal(again, "INVALID_REQUEST");
  });

  law("lets the first decision win and names it to the others", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const winner = await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const rivals: readonly Decision[] = [
      { ...winner, decision_id: "another" },
      { ...winner, action: "cancel" },
      { ...winner, result: null },
      { ...winner, arguments: { other: true } },
    ];
    for (const rival of rivals) {
      const refused = await expectRefusal(bench.tenant.decide(rival), "DECISION_CONFLICT");
      expect(refused.details).toMatchObject({ winner });
    }
    expect((await bench.tenant.readInbox("thread-1", owner.runId)).decisions).toEqual([winner]);
  });

  law("answers the same decision again with the stored one, whatever its time", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const decision = buildDecision({ run_id: owner.runId, call_id: "c1", result: { b: 1, a: 2 } });
    await bench.tenant.decide(decision);
    const again = { ...decision, result: { a: 2, b: 1 }, updated_at: decision.updated_at + 5 };
    expect(await bench.tenant.decide(again)).toEqual(decision);
    const resumes = (await bench.tenant.listEntries()).items.filter(({ kind }) => kind === "resume");
    expect(resumes).toHaveLength(1);
  });

  law("answers the same decision again, and a rival with the winner, after the run is done", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const decision = await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const next = await bench.take(await bench.claimOne());
    await next.become("done", { consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }] });
    expect(await bench.tenant.decide(decision)).toEqual(decision);
    const refused = await expectRefusal(
      bench.tenant.decide({ ...decision, decision_id: "rival" }),
      "DECISION_CONFLICT",
    );
    expect(refused.details).toMatchObject({ winner: decision });
  });

  law("lets one of many rivals win", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    const rivals = Array.from({ length: 8 }, (_, index) => {
      const store = index % 2 === 0 ? bench.tenant : other;
      return store.decide(buildDecision({ run_id: owner.runId, call_id: "c1", decision_id: `rival-${index}` }));
    });
    const results = await Promise.allSettled(rivals);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await bench.tenant.readInbox("thread-1", owner.runId)).decisions).toHaveLength(1);
  });

  law("refuses a decision for a run or a call that is not there", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await expectRefusal(bench.tenant.decide(buildDecision({ run_id: "nobody" })), "RUN_NOT_FOUND");
    const other = buildDecision({ run_id: owner.runId, call_id: "c2" });
    await expectRefusal(bench.tenant.decide(other), "CALL_NOT_FOUND");
  });

  law("refuses a decision for a run that is done", async (bench) => {
    const owner = await bench.start();
    await owner.become("done", { calls: [owner.call("c1", { status: "cancelled" })] });
    const late = buildDecision({ run_id: owner.runId, call_id: "c1" });
    await expectRefusal(bench.tenant.decide(late), "RUN_NOT_ACTIVE");
    await expectRefusal(bench.tenant.decide(late, { early: true }), "RUN_NOT_ACTIVE");
  });

  law(
    "refuses a decision for a call that does not wait, and for another suspension of one that does",
    async (bench) => {
      const owner = await bench.start();
      await owner.commit({ calls: [owner.call("c1"), owner.call("c2", { status: "suspended", suspension: 2 })] });
      const decide = (call_id: string, suspension: number) =>
        bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id, suspension }));
      await expectRefusal(decide("c1", 1), "NOT_SUSPENDED");
      await expectRefusal(decide("c2", 1), "NOT_SUSPENDED");
      await expectRefusal(decide("c2", 3), "NOT_SUSPENDED");
      await decide("c2", 2);
    },
  );

  law("keeps an early decision, which wakes no worker before its suspension is committed", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ calls: [owner.call("c1")] });
    const early = buildDecision({ run_id: owner.runId, call_id: "c1" });
    expect(await bench.tenant.decide(early, { early: true })).toEqual(early);
    expect(await bench.tenant.readInbox("thread-1", owner.runId)).toEqual({ decisions: [early] });
    expect((await bench.tenant.listEntries({ status: "queued" })).items).toEqual([]);
    await owner.suspend("c1");
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
  });

  law("wakes no worker for an early decision that the suspending commit consumes", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ calls: [owner.call("c1")] });
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }), { early: true });
    await owner.become("waiting", {
      calls: [owner.call("c1", { status: "suspended", suspension: 1 })],
      consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }],
    });
    expect(await bench.claim()).toEqual([]);
  });

  law("keeps an early decision for a call that is not committed yet", async (bench) => {
    const owner = await bench.start();
    const early = buildDecision({ run_id: owner.runId, call_id: "soon" });
    await bench.tenant.decide(early, { early: true });
    await owner.suspend("soon");
    expect(await bench.claimOne()).toMatchObject({ kind: "resume" });
  });

  law("takes an early decision for the next suspension only", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ calls: [owner.call("c1", { suspension: 1 })] });
    const decide = (suspension: number) =>
      bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1", suspension }), { early: true });
    await expectRefusal(decide(1), "NOT_SUSPENDED");
    await expectRefusal(decide(3), "NOT_SUSPENDED");
    await decide(2);
  });

  law("keeps decisions of a running run in its inbox, in order of arrival", async (bench) => {
    const owner = await bench.start();
    const calls = ["c1", "c2"].map((id) => owner.call(id, { status: "suspended", suspension: 1 }));
    await owner.commit({ calls });
    for (const call_id of ["c2", "c1"]) await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id }));
    const { decisions } = await bench.tenant.readInbox("thread-1", owner.runId);
    expect(decisions.map(({ call_id }) => call_id)).toEqual(["c2", "c1"]);
    expect(await bench.claim()).toEqual([]);
  });

  law("wakes a run again for a decision that came while it went to sleep", async (bench) => {
    const owner = await bench.start();
    const calls = ["c1", "c2"].map((id) => owner.call(id, { status: "suspended", suspension: 1 }));
    await owner.commit({ calls });
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await owner.become("waiting");
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
  });
}
