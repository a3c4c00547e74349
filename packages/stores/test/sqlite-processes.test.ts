import { buildCall, buildDecision, buildEntry } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { nextLine, runChild } from "./support/run-child.ts";
import { makeStoreFolder } from "./support/temporary-store.ts";
import { startRun } from "./support/thread-work.ts";

async function openBesideWorker() {
  const { file, remove } = makeStoreFolder();
  const store = await openSqliteStore({ file });
  onTestFinished(async () => {
    await store.close();
    remove();
  });
  const tenant = store.forTenant("default");
  await tenant.submit(buildEntry({ thread_id: "claimed" }));
  await tenant.submit(buildEntry({ entry_id: "of-another", thread_id: "left", request: OF_ANOTHER }));
  const child = runChild("claim-once.ts", file, "agent-1");
  expect(JSON.parse(await nextLine(child))).toEqual({ claimed: ["claimed"] });
  return { file, store, tenant, child };
}

const OF_ANOTHER = { agent_id: "agent-2", messages: [] };

const LEASE_MS = 60_000;

it("issue 14.1: several processes claim from one file, each what it is able to do", async () => {
  const { store } = await openBesideWorker();
  const abilities = { "agent-2": { tools: {} } };
  expect(await store.operator.listMissingAgents()).toEqual(["agent-2"]);
  const claims = await store.operator.claim({ owner: "second", lease_ms: LEASE_MS, limit: 10, abilities });
  expect(claims.map(({ thread_id }) => thread_id)).toEqual(["left"]);
});

it("spares the claims of a process that lives, and gives back those of one that was killed", async () => {
  const { file, store, child } = await openBesideWorker();
  const leases = async () => (await store.operator.listLeases("default")).map(({ owner }) => owner);
  const enter = async (owner: string) => {
    const next = await openSqliteStore({ file });
    await next.operator.enter({ owner, is_lasting: false, lease_ms: LEASE_MS });
    onTestFinished(() => next.close());
  };
  await enter("second");
  expect(await leases()).toEqual(["child"]);
  child.process.kill("SIGKILL");
  await child.exited;
  await enter("third");
  expect(await leases()).toEqual([]);
  expect((await store.operator.listWorkers()).map(({ owner }) => owner).toSorted()).toEqual(["second", "third"]);
});

it("issue 14.35: keeps a lasting name for a process that lives, and no longer", async () => {
  const { file, store, child } = await openBesideWorker();
  const named = { owner: "child", is_lasting: true, lease_ms: LEASE_MS };
  await expect(store.operator.enter(named)).rejects.toMatchObject({ code: "STORE_OWNED" });
  child.process.kill("SIGKILL");
  await child.exited;
  const next = await openSqliteStore({ file });
  onTestFinished(() => next.close());
  await next.operator.enter(named);
  expect(await next.operator.listLeases("default")).toEqual([]);
});

it("takes entries, cancellations and threads from any process, and tells the others", async () => {
  const { tenant, child } = await openBesideWorker();
  const entry = buildEntry({ entry_id: "from-client", thread_id: "elsewhere" });
  expect(await tenant.submit(entry)).toMatchObject({ status: "queued" });
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
