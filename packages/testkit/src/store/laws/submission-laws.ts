import type { Message, NewEntry, RunRequest } from "@reprise/contracts";
import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildEntry, buildMessage, buildRun } from "../../build/build-records.ts";
import { captureTenant } from "../capture-tenant.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS, type StoreBench } from "../store-bench.ts";

/** What a submission brings that wants to begin at once. */
function claimingFor(entry: NewEntry, changesetId: string, messages: readonly Message[] = [], expected = 0) {
  const { thread_id, run_id } = entry;
  const runs = [buildRun({ run_id, thread_id })];
  const changeset = buildChangeset({ changeset_id: changesetId, thread_id, run_id, messages, runs });
  return { owner: "owner-1", lease_ms: LEASE_MS, changeset, expected };
}

/** A request in the words of the messages it becomes, and with more that only it says. */
function requestOf(messages: readonly Message[]): RunRequest {
  return {
    agent_id: "agent-1",
    messages: [...messages, { role: "user", content: "said in the request alone, and nowhere else" }],
    state: { note: { deep: [1, "two", null] } },
    metadata: { asked: "kept" },
  };
}

async function requestsOf(bench: StoreBench): Promise<readonly unknown[]> {
  return (await bench.tenant.listEntries({ limit: 200 })).items.map(({ request }) => request);
}

/** Starting a run together with its first changeset, and what stays of the request. */
export function submissionLaws(law: Law): void {
  law("refuses to start a run with a changeset id the thread has, and stores nothing", async (bench) => {
    const owner = await bench.start();
    const last = await owner.become("done", { messages: [buildMessage("m1")] });
    const before = await captureTenant(bench.tenant);
    const entry = buildEntry({ entry_id: "second", run_id: "run-second" });
    const attempt = bench.tenant.submit(entry, claimingFor(entry, last.changeset_id, [buildMessage("m2")], 2));
    await expectRefusal(attempt, "INVALID_REQUEST");
    expect(await captureTenant(bench.tenant)).toEqual(before);
    const other = claimingFor(entry, "new", [buildMessage("m2")], 2);
    expect(await bench.tenant.submit(entry, other)).toMatchObject({ status: "claimed", version: 3 });
  });

  law("does not look at the changeset of a submission that only queues", async (bench) => {
    const owner = await bench.start();
    const known = await owner.commit();
    const entry = buildEntry({ entry_id: "second", run_id: "run-second" });
    const submitted = await bench.tenant.submit(entry, claimingFor(entry, known.changeset_id, [], 2));
    expect(submitted).toMatchObject({ status: "queued" });
    expect((await bench.tenant.loadThread("thread-1"))?.thread.version).toBe(2);
  });

  law("starts a run once when its submission comes many times", async (bench) => {
    const entry = buildEntry({ entry_id: "e1", run_id: "run-1" });
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const tenant = index % 2 === 0 ? bench.tenant : other;
        return tenant.submit(entry, claimingFor(entry, "c1", [buildMessage("m1")]));
      }),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual(["claimed", ...Array.from({ length: 7 }, () => "duplicate")]);
    for (const { entry: stored } of answers) expect(stored).toMatchObject({ entry_id: "e1", status: "accepted" });
    expect((await bench.tenant.loadThread("thread-1"))?.thread.version).toBe(1);
    expect((await bench.tenant.listMessages("thread-1")).messages).toHaveLength(1);
  });

  law("keeps the request of a run that started at once, whatever becomes of its messages", async (bench) => {
    const said = [buildMessage("m1", { content: "a text that is long enough to be pointed at" }), buildMessage("m2")];
    const request = requestOf(said);
    const entry = buildEntry({ entry_id: "e1", run_id: "run-1", request });
    const submitted = await bench.tenant.submit(entry, claimingFor(entry, "c1", said));
    if (submitted.status !== "claimed") throw new Error(`The thread was not idle: ${submitted.status}.`);
    expect([submitted.entry.request, submitted.claim.entry?.request]).toEqual([request, request]);
    expect(await requestsOf(bench)).toEqual([request]);
    const owner = await bench.take({ ...submitted.claim, run: buildRun() });
    await owner.become("done", { runs: [buildRun({ status: "done" })], supersedes: ["m1"] });
    await bench.start("thread-1", { messages: [buildMessage("m3")] });
    expect((await requestsOf(bench))[0]).toEqual(request);
    const again = await bench.tenant.submit(entry, claimingFor(entry, "c1", said));
    expect(again).toMatchObject({ status: "duplicate", entry: { request } });
  });

  law("keeps the request of an entry that waited, in every status it comes to", async (bench) => {
    const request = requestOf([buildMessage("m1", { content: "a text that is long enough to be pointed at" })]);
    await bench.enqueue({ entry_id: "e1", request });
    const [claim] = await bench.claim();
    expect(claim?.entry?.request).toEqual(request);
    expect(await requestsOf(bench)).toEqual([request]);
    const owner = await bench.take(claim ?? expect.fail("nothing to claim"));
    await owner.commit({ runs: [owner.run], messages: [buildMessage("m1", { content: "another text altogether" })] });
    expect(await requestsOf(bench)).toEqual([request]);
    for (const entry_id of ["e2", "e3"]) await bench.enqueue({ entry_id, request });
    await bench.tenant.requestCancel("run-of-e2", "not wanted");
    await bench.enqueue({ entry_id: "e4", request, busy_policy: "interrupt" });
    await owner.become("done");
    const { items } = await bench.tenant.listEntries({ thread_id: "thread-1" });
    const runs = items.filter(({ kind }) => kind === "run");
    expect(runs.map(({ status }) => status)).toEqual(["accepted", "cancelled", "superseded", "queued"]);
    for (const entry of runs) expect(entry.request).toEqual(request);
  });

  law("keeps the request of an entry whose messages went into another run", async (bench) => {
    const owner = await bench.start();
    const said = buildMessage("m1", { content: "a text that is long enough to be pointed at" });
    const request = requestOf([said]);
    await bench.enqueue({ entry_id: "e1", request, busy_policy: "steer" });
    const { steering } = await bench.tenant.readInbox("thread-1", owner.runId);
    expect(steering?.map((entry) => entry.request)).toEqual([request]);
    await owner.commit({
      messages: [said],
      mailbox_effects: [{ entry_id: "e1", status: "accepted", into_run: owner.runId }],
    });
    const { items } = await bench.tenant.listEntries({ run_id: "run-of-e1" });
    expect(items).toMatchObject([{ entry_id: "e1", status: "accepted", into_run: owner.runId, request }]);
  });
}
