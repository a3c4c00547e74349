import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TenantStore } from "@reprise/contracts";
import { openPostgresStore } from "@reprise/stores/postgres";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { eventually } from "@reprise/testkit";
import { type ServerTurn, startModelServer } from "@reprise/testkit/model-server";
import { expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { useServer } from "../../../stores/test/postgres/use-server.ts";
import { startWorker } from "./support/start-worker.ts";
import { CLIENT, call } from "./support/use-fleet.ts";
import type { WorkerSetup } from "./support/worker-protocol.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Two processes share the runs: neither has a slot for all of them. */
const FEW_SLOTS = { maxActiveRuns: 3, pollMs: 100, recheckMs: 200 } as const;

const LONG_WORK = call("work", { ms: 600_000 });
/** A model that never answers: the request is under way when the tree is cancelled. */
const SILENCE = "say nothing";
const below = (prompt: string) => ({ call: "delegate", arguments: { prompt } });
const TREE = JSON.stringify([
  below(JSON.stringify([below(LONG_WORK), below(LONG_WORK)])),
  below(JSON.stringify([below(LONG_WORK), below(SILENCE)])),
  { call: "delegate", arguments: { prompt: JSON.stringify([below(LONG_WORK)]), background: true } },
  below(LONG_WORK),
]);
/** The run at the top, four below it and five below those. */
const RUNS = 10;

/** Does what the last message says, and tells what tools answered. */
function answer({ body }: { readonly body: unknown }): ServerTurn {
  // Sent by our own adapter.
  const { messages } = body as { readonly messages: readonly { readonly role: string; readonly content: string }[] };
  const last = messages.at(-1);
  if (last?.content === SILENCE) return { silent: true };
  if (last?.role === "tool") return `told: ${last.content}`;
  return JSON.parse(last?.content ?? "") as ServerTurn;
}

async function expectSilence(store: WorkerSetup["store"], tenant: TenantStore): Promise<void> {
  const server = await startModelServer(answer);
  onTestFinished(() => server.close());
  const start = (limits: WorkerSetup["limits"]) =>
    startWorker({ store, modelUrl: `${server.url}/v1`, ...(limits !== undefined && { limits }) });
  const [first, second, client] = await Promise.all([start(FEW_SLOTS), start(FEW_SLOTS), start(CLIENT)]);
  const runId = await client.ask("start", { threadId: "top", input: TREE });
  // Each process is in the middle of its share; what has no slot is queued.
  await Promise.all([first.executing("work"), second.executing("work")]);
  await eventually(async () => {
    const open = await tenant.listRuns({ status: "running" });
    expect(open.items.length).toBe(FEW_SLOTS.maxActiveRuns * 2);
  });
  await client.ask("cancel", { runId, reason: "enough" });
  const asked = server.requests.length;
  await eventually(async () => {
    for (const status of ["running", "waiting"] as const)
      expect((await tenant.listRuns({ status })).items.map(({ run_id }) => run_id)).toEqual([]);
    for (const status of ["queued", "claimed"] as const)
      expect((await tenant.listEntries({ status })).items.map(({ entry_id }) => entry_id)).toEqual([]);
  });
  const { items } = await tenant.listRuns({ limit: 50 });
  const others = items.filter(({ termination_code }) => termination_code !== "cancelled");
  expect(others).toEqual([]);
  expect(items.length).toBeLessThanOrEqual(RUNS);
  // Both processes are gone: no request can come any more.
  for (const worker of [first, second]) worker.signal("SIGTERM");
  await Promise.all([first.exited, second.exited]);
  expect(server.requests.length).toBe(asked);
}

it("no model is asked for any run of a tree after its cancellation, in two processes on one SQLite file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reprise-cancelled-tree-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "store.db");
  const store = await openSqliteStore({ file });
  onTestFinished(() => store.close());
  await expectSilence({ kind: "sqlite", file }, store.forTenant("default"));
});

describeWithService("postgres", "a tree of runs on a real Postgres", (service) => {
  const used = useServer(service);

  it("has no model asked for any of its runs after its cancellation, in two processes", async () => {
    const schema = used.freshSchema();
    const store = await openPostgresStore({ url: used.url, schema });
    onTestFinished(() => store.close());
    await expectSilence({ kind: "postgres", url: used.url, schema }, store.forTenant("default"));
  });
});
