import { buildCall, buildChangeset, buildDecision, buildEntry } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { nextLine, runChild } from "./support/run-child.ts";
import { makeStoreFolder } from "./support/temporary-store.ts";
import { startRun } from "./support/thread-work.ts";

async function openWithDispatcher() {
  const { file, remove } = makeStoreFolder();
  const store = await openSqliteStore({ file });
  onTestFinished(async () => {
    await store.close();
    remove();
  });
  const tenant = store.forTenant("default");
  await tenant.submit(buildEntry({ thread_id: "claimed" }));
  const child = runChild("claim-once.ts", file);
  const { pid, claimed } = JSON.parse(await nextLine(child));
  expect(claimed).toEqual(["claimed"]);
  return { file, store, tenant, child, pid };
}

it("refuses a second process that claims, with the process id of the first", async () => {
  const { store, child, pid } = await openWithDispatcher();
  expect(pid).toBe(child.process.pid);
  const attempt = store.operator.claim({ owner: "second", lease_ms: 1_000, limit: 1 });
  await expect(attempt).rejects.toMatchObject({ code: "STORE_OWNED", details: { owner_pid: pid } });
  await expect(store.operator.releaseOwner("child")).rejects.toMatchObject({ details: { owner_pid: pid } });
});

it("lets the next process claim when the first is killed, also what that one held", async () => {
  const { store, tenant, child } = await openWithDispatcher();
  await tenant.submit(buildEntry({ entry_id: "second", thread_id: "later" }));
  child.process.kill("SIGKILL");
  await child.exited;
  const claims = await store.operator.claim({ owner: "second", lease_ms: 1_000, limit: 10 });
  expect(claims.map(({ thread_id }) => thread_id)).toEqual(["later", "claimed"]);
});

it("takes entries, cancellations and threads from a process that may not claim, and tells the one that does", async () => {
  const { tenant, child } = await openWithDispatcher();
  const entry = buildEntry({ entry_id: "from-client", thread_id: "elsewhere" });
  const changeset = buildChangeset({ run_id: entry.run_id, thread_id: "elsewhere" });
  const claiming = { owner: "client", lease_ms: 1_000, expected: 0, changeset };
  expect(await tenant.submit(entry, claiming)).toMatchObject({ status: "queued" });
  expect(JSON.parse(await nextLine(child))).toMatchObject({ kind: "work", thread_id: "elsewhere" });
  await tenant.requestCancel(entry.run_id, "never mind");
  expect(JSON.parse(await nextLine(child))).toMatchObject({
    kind: "inbox",
    thread_id: "elsewhere",
    run_id: entry.run_id,
  });
  expect(await tenant.createThread({ thread_id: "made", metadata: {} })).toMatchObject({ version: 0 });
  expect((await tenant.loadThread("claimed"))?.thread.thread_id).toBe("claimed");
});

it("takes a decision for a run of the process that claims", async () => {
  const { file, remove } = makeStoreFolder();
  const owner = await openSqliteStore({ file });
  const { run, commit } = await startRun(owner.forTenant("default"), "thread-1");
  const call = buildCall({ run_id: run.run_id, status: "suspended", suspension: 1 });
  await commit({ runs: [{ ...run, status: "waiting" }], calls: [call] });
  const client = await openSqliteStore({ file });
  await client.forTenant("default").decide(buildDecision({ run_id: run.run_id, call_id: call.call_id }));
  const claims = await owner.operator.claim({ owner: "owner", lease_ms: 1_000, limit: 1 });
  expect(claims).toMatchObject([{ kind: "resume", run: { run_id: run.run_id } }]);
  await Promise.all([owner.close(), client.close()]);
  remove();
});
