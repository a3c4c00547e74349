import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Budget, TenantStore } from "@reprise/contracts";
import { openPostgresStore } from "@reprise/stores/postgres";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { eventually } from "@reprise/testkit";
import { expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { useServer } from "../../../stores/test/postgres/use-server.ts";
import { startWorker, type Worker } from "./support/start-worker.ts";
import { CLIENT, call, SHORT_LEASE } from "./support/use-fleet.ts";
import type { WorkerSetup } from "./support/worker-protocol.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

type Victims = "of the parent" | "of the child" | "of both";
const VICTIMS: readonly Victims[] = ["of the parent", "of the child", "of both"];

/** The parent works while its child does, each in a process of its own. Killed work is begun again, and takes as long. */
const TASK = JSON.stringify([
  { call: "hire", arguments: { prompt: call("work", { ms: 3_000 }), background: true, limitTokens: 200_000 } },
  { call: "work", arguments: { ms: 3_000 } },
]);

async function expectWhole(store: WorkerSetup["store"], tenant: TenantStore, victims: Victims): Promise<void> {
  const start = (limits: WorkerSetup["limits"]) => startWorker({ store, limits: { ...SHORT_LEASE, ...limits } });
  const [one, other, client] = await Promise.all([
    start({ maxActiveRuns: 1 }),
    start({ maxActiveRuns: 1 }),
    start(CLIENT),
  ]);
  const budget = { limit_tokens: 1_000_000 };
  const runId = await client.ask("start", { threadId: "top", input: TASK, budget });
  const keys = await Promise.all([one.executing("work"), other.executing("work")]);
  const isParent = keys.map((key) => key.startsWith(`${runId}-`));
  expect(isParent.toSorted()).toEqual([false, true]);
  const [parent, child] = isParent[0] ? [one, other] : [other, one];
  const killed: readonly Worker[] =
    victims === "of both" ? [parent, child] : [victims === "of the parent" ? parent : child];
  for (const worker of killed) worker.signal("SIGKILL");
  await Promise.all(killed.map(({ exited }) => exited));
  await start({});
  // All of it at once: runs and entries are read one after the other, and the notice of the child goes from one to the other in between.
  await eventually(async () => {
    for (const status of ["running", "waiting"] as const)
      expect((await tenant.listRuns({ status })).items.map(({ run_id }) => run_id)).toEqual([]);
    for (const status of ["queued", "claimed"] as const)
      expect((await tenant.listEntries({ status })).items.map(({ entry_id }) => entry_id)).toEqual([]);
    const { items } = await tenant.listRuns({ parent_run_id: runId });
    expect(items.map(({ termination_code }) => termination_code)).toEqual(["natural"]);
    expect((await tenant.loadRun(runId))?.termination_code).toBe("natural");
    // The end of the child reached the parent's thread once: in the parent's run, or as a run of its own.
    const { messages } = await tenant.listMessages("top", { visibility: "internal" });
    expect(messages.map(({ metadata }) => metadata?.source)).toEqual([`run:${items[0]?.run_id}`]);
    // Written by the runtime, which keeps budgets under this kind.
    const stored = (await tenant.loadDocument("budget", runId))?.body as unknown as Budget | undefined;
    const held = Object.values(stored?.allotments ?? {}).map((part) => part.held);
    expect([held, stored?.reserved]).toEqual([[false], {}]);
  });
}

it.each(VICTIMS)(
  "a parent and its child in two processes on one SQLite file end once, with their budget whole, when the process %s is killed",
  async (victims) => {
    const folder = await mkdtemp(join(tmpdir(), "reprise-killed-family-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "store.db");
    const store = await openSqliteStore({ file });
    onTestFinished(() => store.close());
    await expectWhole({ kind: "sqlite", file }, store.forTenant("default"), victims);
  },
);

describeWithService("postgres", "a parent and its child in two processes on two databases", (service) => {
  const used = useServer(service);

  it.each(VICTIMS)("end once, with their budget whole, when the process %s is killed", async (victims) => {
    const urls = [await used.makeDatabase(), await used.makeDatabase()];
    const store = await openPostgresStore({ urls });
    onTestFinished(() => store.close());
    await expectWhole({ kind: "scattered", urls }, store.forTenant("default"), victims);
  });
});

describeWithService("postgres", "a parent and its child in two processes on a real Postgres", (service) => {
  const used = useServer(service);

  it.each(VICTIMS)("end once, with their budget whole, when the process %s is killed", async (victims) => {
    const schema = used.freshSchema();
    const store = await openPostgresStore({ url: used.url, schema });
    onTestFinished(() => store.close());
    await expectWhole({ kind: "postgres", url: used.url, schema }, store.forTenant("default"), victims);
  });
});
