import { buildCall, buildDecision, buildEntry, buildPatch } from "@reprise/testkit";
import { expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import type { PostgresStore } from "../src/postgres/open-postgres-store.ts";
import { Pipeline } from "../src/postgres/pipeline.ts";
import type { SqlRow } from "../src/postgres/statement.ts";
import { useServer } from "./postgres/use-server.ts";
import { startRun } from "./support/thread-work.ts";
import { useBlobs } from "./support/use-blobs.ts";

/** Columns that find rows. A plan that filters by one of them read rows that it did not need. */
const FINDING = /\b(thread_id|run_id|entry_id|call_id|thread_key|run_key|key|id_hash|dedupe_hash|position|last_seq)\b/;

/** The same for documents, which are found by their names and by when their time is up. */
const FINDING_DOCUMENTS = /\b(tenant|kind|id)\b|expires_at <=/;

/** And for blobs, their parts and what is on its way. */
const FINDING_BLOBS = /\b(tenant|ref|upload|start|until)\b/;

/** A column that was only to be checked, and the rows of one run or thread whose other columns are looked at. */
const CHECKED = /IS DISTINCT FROM|place = |status/;

describeWithService("postgres", "plans of a Postgres store", (service) => {
  const used = useServer(service);

  it("find rows by everything they are asked by, also those made while the tables were empty", async () => {
    const { store, sql } = await used.useSchema();
    await expectPlans(store, sql);
  });

  it("do so over several databases too", async () => {
    const { store, sql } = await used.useSet();
    const statements = await expectPlans(store, (...texts) => sql(0, ...texts));
    expect(statements.filter((text) => text.includes("run_places")).length).toBeGreaterThan(1);
  });

  async function expectPlans(
    store: PostgresStore,
    sql: (...texts: readonly string[]) => Promise<readonly SqlRow[]>,
  ): Promise<readonly string[]> {
    const statements = await recordStatements(() => work(store));
    expect(statements.length).toBeGreaterThan(30);
    const filters: string[] = [];
    for (const text of statements) {
      const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
      const nulls = count === 0 ? "" : `(${Array.from({ length: count }, () => "null")})`;
      const [row] = await sql(
        "delete from threads",
        `prepare probe as ${text}`,
        `explain (format json) execute probe ${nulls}`,
      );
      filters.push(...filtersOf(JSON.parse(String(row?.["QUERY PLAN"]))).map((filter) => `${filter}: ${text}`));
    }
    expect(filters).toEqual([]);
    return statements;
  }
});

async function recordStatements(during: () => Promise<void>): Promise<readonly string[]> {
  const statements = new Set<string>();
  const { submit } = Pipeline.prototype;
  Pipeline.prototype.submit = function (connection) {
    for (const { statement } of this.queries) statements.add(statement.text);
    submit.call(this, connection);
  };
  try {
    await during();
  } finally {
    Pipeline.prototype.submit = submit;
  }
  return [...statements].filter(
    (text) => /^\s*(select|update|delete|insert|with)/i.test(text) && !/pg_|set_config/.test(text),
  );
}

/** What the steps of a plan look at after an index gave them a row. */
function filtersOf(plan: unknown): readonly string[] {
  if (Array.isArray(plan)) return plan.flatMap(filtersOf);
  if (typeof plan !== "object" || plan === null) return [];
  const node: Readonly<Record<string, unknown>> = { ...plan };
  const filters = [node.Filter, node["Join Filter"]].filter((filter) => typeof filter === "string");
  const relation = String(node["Relation Name"]);
  const special = relation.startsWith("blob") ? FINDING_BLOBS : FINDING;
  const finding = relation === "documents" ? FINDING_DOCUMENTS : special;
  const odd = filters.filter((filter) => finding.test(filter) && !CHECKED.test(filter));
  return [...odd.map((filter) => `${node["Relation Name"]} ${filter}`), ...Object.values(node).flatMap(filtersOf)];
}

/** What a run and its readers do, and what happens to a thread. */
async function work(store: PostgresStore): Promise<void> {
  const tenant = store.forTenant("default");
  // Together: a batch of several threads is another statement.
  const runs = await Promise.all(["one", "other"].map((id) => startRun(tenant, id)));
  await Promise.all(runs.map((started) => started.commit()));
  const { run, commit, claim } = await startRun(tenant, "thread-1");
  const { run_id } = run;
  const call = buildCall({ run_id, thread_id: "thread-1", call_id: "c1", status: "suspended", suspension: 1 });
  await commit({ patches: [buildPatch("p", "n", 1)], calls: [call], supersedes: ["thread-1-run-1-m0"] });
  await tenant.decide(buildDecision({ run_id, call_id: "c1" }));
  await commit({ runs: [run], calls: [{ ...call, status: "resuming" }] });
  await tenant.saveSnapshot("thread-1", { version: 1, state: {} });
  await tenant.submit(buildEntry({ busy_policy: "interrupt", dedupe_key: "key" }));
  await tenant.requestCancel(run_id, "enough");
  await store.operator.release(claim);
  await store.operator.claim({ owner: "o", lease_ms: 1_000, limit: 10 });
  await tenant.loadThread("thread-1");
  await tenant.readMessages("thread-1", 0);
  await tenant.readPatches("thread-1", 0);
  await tenant.readChangesets("thread-1", 0);
  await tenant.readEvents(run_id, 0);
  await tenant.lastSeqOfEpoch(run_id, 1);
  await tenant.loadRun(run_id);
  await tenant.loadCall(run_id, "c1");
  await tenant.readInbox("thread-1", run_id);
  for (const query of [{}, { thread_id: "thread-1" }, { status: "running" as const }, { parent_run_id: "p" }]) {
    await tenant.listRuns(query);
  }
  for (const query of [{}, { thread_id: "thread-1" }, { run_id }]) await tenant.listEntries(query);
  for (const query of [{ thread_id: "thread-1" }, { run_id }]) {
    await tenant.listCalls(query);
    await tenant.listCalls({ ...query, status: "suspended" });
    await tenant.listCalls({ ...query, status: "suspended", pending_id: "order 1" });
  }
  for (const status of ["suspended", "running"] as const) await tenant.listCalls({ status });
  await tenant.listThreads();
  await tenant.listThreads({ resource_id: "r" });
  await tenant.forkThread("thread-1", 1, "fork");
  await tenant.deleteThread("fork");
  const { document } = await tenant.saveDocument({ kind: "k", id: "d", body: 1 }, 0);
  await tenant.saveDocument({ kind: "k", id: "d", body: 2 }, document?.revision ?? 0);
  await tenant.loadDocument("k", "d");
  await tenant.listDocuments({ kind: "k", after: "a" });
  await tenant.deleteDocument("k", "d");
  await useBlobs(store.blobs);
  await store.operator.prune({});
}
