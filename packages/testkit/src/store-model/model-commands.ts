import type { BusyPolicy, RunStatus } from "@reprise/contracts";
import type fc from "fast-check";
import { expect } from "vitest";
import { buildDecision, buildEntry } from "../build/build-records.ts";
import { expectRefusal } from "../store/refusal.ts";
import type { Holder, ModelBench, StoreModel, ThreadName } from "./model-bench.ts";
import { THREADS } from "./model-bench.ts";

/** One step of a history: what is done to the store, and what the model says must come of it. */
export type StoreCommand = fc.AsyncCommand<StoreModel, ModelBench>;

const LEASE_MS = 1_000;

function command(text: string, run: (model: StoreModel, bench: ModelBench) => Promise<void>): StoreCommand {
  return {
    check: () => true,
    run: async (model, bench) => {
      await run(model, bench);
      await bench.check(model);
    },
    toString: () => text,
  };
}

function nextId(model: StoreModel): string {
  model.made += 1;
  return String(model.made);
}

export function submit(threadId: ThreadName, policy: BusyPolicy): StoreCommand {
  return command(`submit ${threadId} ${policy}`, async (model, { tenant }) => {
    const id = nextId(model);
    const entry = { entry_id: `entry-${id}`, run_id: `run-${id}`, thread_id: threadId, busy_policy: policy };
    expect(await tenant.submit(buildEntry(entry))).toMatchObject({ status: "queued" });
    model.threads[threadId].submit(`run-${id}`, policy);
  });
}

export function claim(): StoreCommand {
  return command("claim", async (model, { opened }) => {
    const expected = THREADS.flatMap((threadId) => {
      const work = model.threads[threadId].findWork(model.now);
      return work === undefined ? [] : [{ threadId, work }];
    });
    const claims = await opened.store.operator.claim({ owner: "owner", lease_ms: LEASE_MS, limit: 10 });
    expect(claims).toHaveLength(expected.length);
    for (const { threadId, work } of expected) {
      const granted = claims.find(({ thread_id }) => thread_id === threadId) ?? expect.fail(`no claim on ${threadId}`);
      expect(granted.kind).toBe(work.kind);
      expect(granted.epoch).toBeGreaterThan(model.threads[threadId].lastEpoch);
      expect(granted.kind === "start" ? granted.entry?.run_id : granted.run?.run_id).toBe(work.runId);
      model.threads[threadId].hold(work, granted.epoch, model.now + LEASE_MS);
      model.holders.push({ threadId, claim: granted, runId: work.runId });
    }
  });
}

/** A commit by a worker that holds a claim or held one once. */
export function commit(pick: number, status: RunStatus): StoreCommand {
  return command(`commit ${pick} ${status}`, async (model, bench) => {
    const holder = pickHolder(model, pick);
    if (holder === undefined) return;
    const id = nextId(model);
    const thread = model.threads[holder.threadId];
    const attempt = bench.commit(holder, status, id);
    if (thread.claim?.epoch !== holder.claim.epoch) return void (await expectRefusal(attempt, "STALE_EPOCH"));
    await attempt;
    thread.commit(holder.runId, status, `call-${id}`);
  });
}

export function decide(threadId: ThreadName): StoreCommand {
  return command(`decide ${threadId}`, async (model, { tenant }) => {
    const { run } = model.threads[threadId];
    if (run?.call === undefined) return;
    const before = await tenant.loadDecision(run.id, run.call, 1);
    const decision = buildDecision({ run_id: run.id, call_id: run.call, decision_id: `decision-${run.call}` });
    expect(await tenant.decide(decision)).toEqual(decision);
    if (before === undefined) model.threads[threadId].decide(run);
    await expectRefusal(tenant.decide({ ...decision, decision_id: "rival" }), "DECISION_CONFLICT");
  });
}

export function cancel(threadId: ThreadName): StoreCommand {
  return command(`cancel ${threadId}`, async (model, { tenant }) => {
    const { run } = model.threads[threadId];
    if (run === undefined) return;
    await tenant.requestCancel(run.id, "enough");
    model.threads[threadId].cancel(run.id);
  });
}

export function advance(ms: number): StoreCommand {
  return command(`advance ${ms}`, async (model, { opened }) => {
    await opened.advance(ms);
    model.now += ms;
  });
}

export function release(pick: number, hasProblem: boolean): StoreCommand {
  return command(`release ${pick}${hasProblem ? " with a problem" : ""}`, async (model, { opened }) => {
    const holder = pickHolder(model, pick);
    if (holder === undefined) return;
    const problem = hasProblem ? { error: "broken", retry_after_ms: 0 } : undefined;
    await opened.store.operator.release(holder.claim, problem);
    const thread = model.threads[holder.threadId];
    if (thread.claim?.epoch === holder.claim.epoch) thread.giveBack(hasProblem);
  });
}

export function renew(pick: number): StoreCommand {
  return command(`renew ${pick}`, async (model, { opened }) => {
    const holder = pickHolder(model, pick);
    if (holder === undefined) return;
    const thread = model.threads[holder.threadId];
    const renewed = await opened.store.operator.renew([holder.claim], LEASE_MS);
    const isHeld = thread.claim?.epoch === holder.claim.epoch;
    expect(renewed).toHaveLength(isHeld ? 1 : 0);
    if (thread.claim !== undefined && isHeld) thread.claim = { ...thread.claim, until: model.now + LEASE_MS };
  });
}

/** Mostly the newest holders, who are the ones with a right to write. */
function pickHolder({ holders }: StoreModel, pick: number): Holder | undefined {
  return holders[holders.length - 1 - (pick % Math.max(holders.length, 1))];
}
