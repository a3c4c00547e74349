import type { Changeset, ErrorCode } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision, buildEntry, buildEvents, buildMessage, buildRun } from "../../build/build-records.ts";
import { captureTenant } from "../capture-tenant.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import type { RunDriver } from "../run-driver.ts";

/** Changesets that are wrong in one place, each with much that is right around it. */
const BROKEN: readonly (readonly [string, ErrorCode, (owner: RunDriver) => Partial<Changeset>])[] = [
  [
    "a message id that the thread has",
    "INVALID_REQUEST",
    () => ({ messages: [buildMessage("new"), buildMessage("m1")] }),
  ],
  ["the same message twice", "INVALID_REQUEST", () => ({ messages: [buildMessage("new"), buildMessage("new")] })],
  ["a second open run", "THREAD_BUSY", () => ({ runs: [buildRun({ run_id: "second" })] })],
  ["a run of another thread", "INVALID_REQUEST", () => ({ runs: [buildRun({ thread_id: "other", status: "done" })] })],
  ["a call of an unknown run", "RUN_NOT_FOUND", (owner) => ({ calls: [owner.call("c9", { run_id: "unknown" })] })],
  ["a gap before its events", "INVALID_REQUEST", (owner) => ({ events: buildEvents(owner.run, 7, 2) })],
  ["events that were committed before", "INVALID_REQUEST", (owner) => ({ events: buildEvents(owner.run, 1, 2) })],
  [
    "a decision that was never made",
    "INVALID_REQUEST",
    (owner) => ({ consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }] }),
  ],
  [
    "an entry the thread does not have",
    "INVALID_REQUEST",
    () => ({ mailbox_effects: [{ entry_id: "nothing", status: "accepted" }] }),
  ],
];

/** A refusal changes nothing. */
export function atomicityLaws(law: Law): void {
  for (const [what, code, parts] of BROKEN) {
    law(`refuses a changeset with ${what} and stores nothing of it`, async (bench) => {
      const owner = await bench.start();
      await owner.commit({
        messages: [buildMessage("m1")],
        events: buildEvents(owner.run, 1, 2),
        calls: [owner.call("c1")],
      });
      const before = await captureTenant(bench.tenant);
      const good: Partial<Changeset> = {
        messages: [buildMessage("good")],
        calls: [owner.call("good")],
        runs: [{ ...owner.run, steps: 9 }],
        events: buildEvents(owner.run, 3, 1),
        supersedes: ["m1"],
      };
      await expectRefusal(owner.commit({ ...good, ...parts(owner) }), code);
      expect(await captureTenant(bench.tenant)).toEqual(before);
      await owner.commit(good);
    });
  }

  law("stores nothing of a commit with a stale epoch or another version", async (bench) => {
    const owner = await bench.start();
    const before = await captureTenant(bench.tenant);
    const changeset = owner.changeset({ messages: [buildMessage("m1")], calls: [owner.call("c1")] });
    await expectRefusal(bench.tenant.commit(changeset, { expected: 1, epoch: owner.claim.epoch + 1 }), "STALE_EPOCH");
    await expectRefusal(bench.tenant.commit(changeset, { expected: 5, epoch: owner.claim.epoch }), "VERSION_CONFLICT");
    expect(await captureTenant(bench.tenant)).toEqual(before);
  });

  law("stores nothing of a refused submission, not even the thread", async (bench) => {
    const changeset = { owner: "o", lease_ms: 1_000, expected: 3 };
    const entry = buildEntry({ entry_id: "refused" });
    const run = buildRun({ run_id: entry.run_id });
    const owner = await bench.start("other");
    const first = owner.changeset({ thread_id: "thread-1", run_id: entry.run_id, runs: [run] });
    const before = await captureTenant(bench.tenant);
    await expectRefusal(bench.tenant.submit(entry, { ...changeset, changeset: first }), "VERSION_CONFLICT");
    const broken = { ...first, messages: [buildMessage("m"), buildMessage("m")] };
    await expectRefusal(
      bench.tenant.submit(entry, { ...changeset, expected: 0, changeset: broken }),
      "INVALID_REQUEST",
    );
    expect(await captureTenant(bench.tenant)).toEqual(before);
    expect(await bench.tenant.loadThread("thread-1")).toBeUndefined();
  });

  law("stores nothing of a refused decision", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ calls: [owner.call("c1")] });
    const before = await captureTenant(bench.tenant);
    const decision = buildDecision({ run_id: owner.runId, call_id: "c1" });
    await expectRefusal(bench.tenant.decide(decision), "NOT_SUSPENDED");
    await expectRefusal(bench.tenant.decide({ ...decision, call_id: "c2" }), "CALL_NOT_FOUND");
    expect(await captureTenant(bench.tenant)).toEqual(before);
  });
}
