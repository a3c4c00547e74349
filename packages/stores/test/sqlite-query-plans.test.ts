import type { TenantStore } from "@reprise/contracts";
import { buildCall, buildDecision, buildEntry, buildPatch } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { openInThreadStore } from "./support/in-thread-store.ts";
import { startRun } from "./support/thread-work.ts";
import { useBlobs } from "./support/use-blobs.ts";

/** Statements that may look at a whole table, because it is small or because that is what was asked for. */
const MAY_SCAN = [/from sqlite_schema/, /max\(number\)/];

it("finds every row by an index, in every statement the store uses", async () => {
  const { connection, store, close } = openInThreadStore();
  onTestFinished(close);
  const tenant = store.forTenant("default");
  const { run, commit, claim } = await startRun(tenant, "thread-1");
  const call = buildCall({ run_id: run.run_id, call_id: "c1", status: "suspended", suspension: 1 });
  await commit({ patches: [buildPatch("p", "n", 1)], calls: [call], supersedes: ["thread-1-run-1-m0"] });
  await tenant.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }));
  await tenant.saveSnapshot("thread-1", { version: 1, state: {} });
  await tenant.submit(buildEntry({ busy_policy: "interrupt", dedupe_key: "key" }));
  await tenant.requestCancel(run.run_id, "enough");
  await store.operator.renew([claim], 1_000);
  await store.operator.release(claim);
  await store.operator.claim({ owner: "o", lease_ms: 1_000, limit: 10 });
  await tenant.forkThread("thread-1", 1, "fork");
  await tenant.updateThread("fork", { title: "B" });
  await tenant.deleteThread("fork");
  await readEverything(tenant, run.run_id);
  await useDocuments(tenant);
  await useBlobs(store.blobs);
  await store.operator.prune({});

  const statements = connection.statements.filter((sql) => /^\s*(select|update|delete|insert)/i.test(sql));
  expect(statements.length).toBeGreaterThan(40);
  const scans = statements
    .filter((sql) => !MAY_SCAN.some((allowed) => allowed.test(sql)))
    .flatMap((sql) =>
      connection
        .explain(sql)
        .filter(isScan)
        .map((step) => `${step}: ${sql}`),
    );
  expect(scans).toEqual([]);
});

async function useDocuments(tenant: TenantStore): Promise<void> {
  const { document } = await tenant.saveDocument({ kind: "k", id: "d", body: 1 }, 0);
  await tenant.saveDocument({ kind: "k", id: "d", body: 2 }, document?.revision ?? 0);
  await tenant.loadDocument("k", "d");
  await tenant.listDocuments({ kind: "k", after: "a" });
  await tenant.deleteDocument("k", "d");
}

function isScan(step: string): boolean {
  return step.startsWith("SCAN") && !step.startsWith("SCAN CONSTANT ROW");
}

async function readEverything(tenant: TenantStore, runId: string) {
  await tenant.loadThread("thread-1");
  for (const query of [{}, { resource_id: "r" }, { parent_thread_id: "p" }]) await tenant.listThreads(query);
  for (const query of [
    {},
    { after: 1, order: "desc" },
    { visibility: "any", include_superseded: true },
    { run_id: runId },
  ] as const)
    await tenant.listMessages("thread-1", query);
  await tenant.readMessages("thread-1", 1);
  await tenant.loadSnapshot("thread-1");
  await tenant.readPatches("thread-1", 0);
  await tenant.readChangesets("thread-1", 0);
  for (const query of [
    {},
    { thread_id: "thread-1" },
    { parent_run_id: "p" },
    { status: "waiting" },
    { agent_id: "a", created_at_from: 1 },
  ] as const)
    await tenant.listRuns(query);
  await tenant.loadCall(runId, "c1");
  for (const query of [
    { thread_id: "thread-1" },
    { run_id: runId },
    { status: "suspended" },
    { status: "suspended", pending_id: "order 1" },
    { status: "suspended", thread_id: "thread-1" },
    { status: "running" },
  ] as const)
    await tenant.listCalls(query);
  await tenant.loadDecision(runId, "c1", 1);
  await tenant.readInbox("thread-1", runId);
  await tenant.readEvents(runId, 1);
  await tenant.lastSeqOfEpoch(runId, 1);
  for (const query of [
    {},
    { thread_id: "thread-1" },
    { run_id: runId },
    { status: "queued" },
    { status: "accepted" },
  ] as const)
    await tenant.listEntries(query);
}
