import type { TenantStore } from "@reprise/contracts";
import { buildCall, buildDecision, buildEntry, buildMessage, buildPatch } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { ensureSchema, openPostgresStore, type PostgresStore, postgres } from "../src/postgres/open-postgres-store.ts";
import { loadPgDriver } from "../src/postgres/pg-driver.ts";
import { Pipeline } from "../src/postgres/pipeline.ts";
import { SCHEMA_STEPS } from "../src/postgres/schema.ts";
import { useServer } from "./postgres/use-server.ts";
import { startRun } from "./support/thread-work.ts";
import { useBlobs } from "./support/use-blobs.ts";

it("says which package is missing", async () => {
  const loading = loadPgDriver("pg-that-nobody-installed");
  await expect(loading).rejects.toMatchObject({ code: "INVALID_REQUEST", details: { package: "pg" } });
});

it("refuses a name that is not fit for a schema, before anything else", async () => {
  for (const schema of ["", "Upper", 'quo"te', "pg_mine", "a b", "x".repeat(60), "nul\u0000"]) {
    await expect(openPostgresStore({ schema })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  }
});

describeWithService("postgres", "the schema of a Postgres store", (service) => {
  const used = useServer(service);

  it("is made once, however many open it for the first time", async () => {
    const schema = used.freshSchema();
    const stores = await Promise.all(Array.from({ length: 4 }, () => postgres(used.url, { schema })));
    onTestFinished(async () => {
      for (const store of stores) await store.close();
    });
    await Promise.all(
      stores.map((store, index) => store.forTenant("t").createThread({ thread_id: `t${index}`, metadata: {} })),
    );
    expect(await stores[0]?.forTenant("t").listThreads()).toMatchObject({ total: 4 });
    expect(await used.sql("select step from schema_steps", schema)).toHaveLength(SCHEMA_STEPS.length);
    await ensureSchema({ url: used.url, schema });
  });

  it("is refused when a newer version made it, and left as it is", async () => {
    const { schema, sql } = await used.useSchema();
    await sql(`insert into schema_steps (step) values (${SCHEMA_STEPS.length + 1})`);
    const details = { schema: SCHEMA_STEPS.length + 1 };
    const opening = openPostgresStore({ url: used.url, schema });
    await expect(opening).rejects.toMatchObject({ code: "FORMAT_TOO_NEW", details });
    await expect(ensureSchema({ url: used.url, schema })).rejects.toMatchObject({ code: "FORMAT_TOO_NEW", details });
  });

  it("is refused when it is of something else", async () => {
    const schema = used.freshSchema();
    await used.sql(`create schema ${schema}`);
    await used.sql("create table customers (name text)", schema);
    const opening = openPostgresStore({ url: used.url, schema });
    await expect(opening).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("can be used by a role that may not make it", async () => {
    const schema = used.freshSchema();
    await used.sql("create role modest login");
    const connection = { user: "modest" };
    const modest = () => openPostgresStore({ url: used.url.replace("reprise@", "modest@"), connection, schema });
    await expect(modest()).rejects.toMatchObject({
      code: "SCHEMA_OUTDATED",
      message: expect.stringContaining("this role may not change it"),
    });
    await ensureSchema({ url: used.url, schema });
    await used.sql(`grant usage on schema ${schema} to modest`);
    await used.sql(`grant select, insert, update, delete on all tables in schema ${schema} to modest`);
    const store = await modest();
    await startRun(store.forTenant("t"), "thread-1");
    const { document } = await store.forTenant("t").saveDocument({ kind: "k", id: "d", body: 1 }, 0);
    const again = await store.forTenant("t").saveDocument({ kind: "k", id: "d", body: 2 }, document?.revision ?? 0);
    expect(again).toMatchObject({ saved: true });
    await store.close();
  });

  it("is left as it is by a process that is not to change it, and refused until it is up to date", async () => {
    const schema = used.freshSchema();
    const open = () => openPostgresStore({ url: used.url, schema, migrates: false });
    const details = { schema: 0, needed: SCHEMA_STEPS.length };
    await expect(open()).rejects.toMatchObject({ code: "SCHEMA_OUTDATED", details });
    expect(await used.sql(`select to_regnamespace('${schema}') as found`)).toEqual([{ found: null }]);
    await ensureSchema({ url: used.url, schema });
    const store = await open();
    expect(await store.forTenant("t").listThreads()).toMatchObject({ total: 0 });
    await store.close();
    await used.sql("delete from schema_steps", schema);
    await expect(open()).rejects.toMatchObject({ code: "SCHEMA_OUTDATED" });
  });

  it("holds several stores apart in one database", async () => {
    const [one, two] = [await used.useSchema(), await used.useSchema()];
    await startRun(one.store.forTenant("t"), "same");
    await startRun(two.store.forTenant("t"), "same");
    expect((await one.store.forTenant("t").listRuns()).total).toBe(1);
    expect(await two.store.operator.claim({ owner: "o", lease_ms: 1, limit: 9 })).toEqual([]);
  });

  it("says how it survives, whatever the server is set to", async () => {
    const { store, reopen, sql } = await used.useSchema();
    // The server of these tests flushes nothing.
    expect(store.durability).toBe("process-crash");
    onTestFinished(async () => {
      await used.server.restart({ fsync: "off" });
    });
    await used.server.restart({ fsync: "on" });
    expect((await reopen()).durability).toBe("power-loss");
    await sql("alter role reprise set synchronous_commit = off");
    expect((await reopen()).durability).toBe("process-crash");
    await sql("alter role reprise reset synchronous_commit");
  });

  it("keeps blobs by their content, each tenant its own", async () => {
    const { store, reopen } = await used.useSchema();
    const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
    const info = await store.blobs.put("tenant", content, { media_type: "image/png" });
    expect(info).toMatchObject({ bytes: 300_000, media_type: "image/png" });
    expect(await store.blobs.put("tenant", content)).toEqual(info);
    const found = await (await reopen()).blobs.get("tenant", info.ref);
    expect(found.info).toEqual(info);
    expect(Buffer.from(found.content).equals(Buffer.from(content))).toBe(true);
    await expect(store.blobs.get("other", info.ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    await expect(store.blobs.put("../up", content)).rejects.toMatchObject({ code: "INVALID_ID" });
    await store.blobs.delete("tenant", info.ref);
    await expect(store.blobs.get("tenant", info.ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    expect((await store.blobs.put("tenant", new Uint8Array())).bytes).toBe(0);
  });

  it("asks for what no database can hold as for what is not there", async () => {
    const { store } = await used.useSchema();
    const tenant = store.forTenant("t");
    await startRun(tenant, "\ufffd");
    for (const id of ["nul\u0000", "\ud83d", "'; drop table threads; --", "", "x".repeat(5_000)]) {
      expect(await tenant.loadThread(id)).toBeUndefined();
      expect((await tenant.listMessages(id)).messages).toEqual([]);
      expect(await tenant.loadRun(id)).toBeUndefined();
      expect(await tenant.loadCall(id, id)).toBeUndefined();
      expect(await tenant.loadDecision(id, id, 1)).toBeUndefined();
      expect(await tenant.readEvents(id, 0)).toEqual([]);
      expect((await tenant.listRuns({ thread_id: id, agent_id: id, parent_run_id: id })).total).toBe(0);
      expect((await tenant.listEntries({ thread_id: id, run_id: id })).total).toBe(0);
      expect((await tenant.listThreads({ resource_id: id, parent_thread_id: id })).total).toBe(0);
      await expect(tenant.requestCancel(id, id)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      await expect(tenant.updateThread(id, {})).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
      await expect(store.blobs.get("t", id)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    }
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5, 1e300]) {
      await tenant.readMessages("\ufffd", odd);
      await tenant.readEvents("\ufffd-run-1", odd);
      await tenant.readPatches("\ufffd", odd, odd);
      await tenant.loadSnapshot("\ufffd", odd);
      await tenant.readChangesets("\ufffd", odd, odd);
      await tenant.lastSeqOfEpoch("\ufffd-run-1", odd);
      await tenant.listRuns({ created_at_from: odd, updated_at_to: odd, offset: odd, limit: odd });
      expect(await tenant.loadDecision("\ufffd-run-1", "c", odd)).toBeUndefined();
    }
  });

  it("takes free text of any length as a key", async () => {
    const { store } = await used.useSchema();
    const tenant = store.forTenant("t");
    const long = Array.from({ length: 20_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    ).join("");
    const entry = buildEntry({ dedupe_key: long, request: { ...buildEntry().request, resource_id: long } });
    expect(await tenant.submit(entry)).toMatchObject({ status: "queued" });
    expect(await tenant.submit({ ...entry, entry_id: "again" })).toMatchObject({ status: "duplicate" });
    expect((await tenant.listThreads({ resource_id: long })).total).toBe(1);
    const [claim] = await store.operator.claim({ owner: long, lease_ms: 60_000, limit: 1 });
    expect(claim?.owner).toBe(long);
    await store.operator.releaseOwner(long);
    const { run, commit } = await startRun(tenant, "thread-2");
    const messages = [buildMessage(long)];
    await commit({ messages });
    expect((await tenant.readMessages("thread-2", 1)).messages).toEqual(messages);
    const place = { run_id: run.run_id, thread_id: "thread-2", call_id: long };
    const call = buildCall({ ...place, status: "suspended", suspension: 1 });
    await commit({ calls: [call], runs: [{ ...run, status: "waiting" }] });
    expect((await tenant.listCalls({ status: "suspended" })).items).toEqual([call]);
    const decision = buildDecision({ run_id: run.run_id, call_id: long });
    expect(await tenant.decide(decision)).toEqual(decision);
    expect(await tenant.loadDecision(run.run_id, long, 1)).toEqual(decision);
  });

  it("has an index for every row of every statement the store uses", async () => {
    const { store, sql } = await used.useSchema();
    const statements = await recordStatements(() => useEverything(store));
    const asked = statements.filter(
      (text) => /^\s*(select|update|delete|insert|with)/i.test(text) && !MAY_SCAN.test(text),
    );
    expect(asked.length).toBeGreaterThan(60);
    const scans: string[] = [];
    for (const text of asked) {
      const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
      const nulls = count === 0 ? "" : `(${Array.from({ length: count }, () => "null")})`;
      const [row] = await sql(`prepare probe as ${text}`, `explain (format json) execute probe ${nulls}`);
      scans.push(...scansOf(JSON.parse(String(row?.["QUERY PLAN"]))).map((scan) => `${scan}: ${text}`));
    }
    expect(scans).toEqual([]);
  });
});

/** What looks at all there is because that was asked for, or at what is not ours. */
const MAY_SCAN = /where work_at is not null order by work_rank|pg_notify|set_config|pg_class/;

async function recordStatements(work: () => Promise<void>): Promise<readonly string[]> {
  const statements = new Set<string>();
  const { submit } = Pipeline.prototype;
  Pipeline.prototype.submit = function (connection) {
    for (const { statement } of this.queries) statements.add(statement.text);
    submit.call(this, connection);
  };
  try {
    await work();
  } finally {
    Pipeline.prototype.submit = submit;
  }
  return [...statements];
}

/** Every step of a plan that goes through a whole table, or through a whole index. */
function scansOf(plan: unknown): readonly string[] {
  if (Array.isArray(plan)) return plan.flatMap(scansOf);
  if (typeof plan !== "object" || plan === null) return [];
  const node: Readonly<Record<string, unknown>> = { ...plan };
  const type = String(node["Node Type"] ?? "");
  const isScan = type === "Seq Scan" || (/Index/.test(type) && node["Index Cond"] === undefined);
  return [...(isScan ? [`${type} on ${node["Relation Name"]}`] : []), ...Object.values(node).flatMap(scansOf)];
}

async function useEverything(store: PostgresStore): Promise<void> {
  const tenant = store.forTenant("default");
  // Together: a batch of several threads is another statement.
  const runs = await Promise.all(["one", "other"].map((id) => startRun(tenant, id)));
  await Promise.all(runs.map((started) => started.commit()));
  const { run, commit, claim } = await startRun(tenant, "thread-1");
  const place = { run_id: run.run_id, thread_id: "thread-1" };
  const call = buildCall({ ...place, call_id: "c1", status: "suspended", suspension: 1 });
  await commit({ patches: [buildPatch("p", "n", 1)], calls: [call], supersedes: ["thread-1-run-1-m0"] });
  await tenant.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }));
  const consumed_decisions = [{ run_id: run.run_id, call_id: "c1", suspension: 1 }];
  await commit({ runs: [run], calls: [{ ...call, status: "resuming" }], consumed_decisions });
  await tenant.saveSnapshot("thread-1", { version: 1, state: {} });
  await tenant.submit(buildEntry({ busy_policy: "interrupt", dedupe_key: "key" }));
  await tenant.requestCancel(run.run_id, "enough");
  await store.operator.renew([claim], 1_000);
  await store.operator.release(claim);
  await store.operator.claim({ owner: "o", lease_ms: 1_000, limit: 10 });
  await store.operator.countDueThreads();
  await store.operator.releaseOwner("o");
  await tenant.forkThread("thread-1", 1, "fork");
  await tenant.updateThread("fork", { title: "B" });
  await tenant.deleteThread("fork");
  await readEverything(tenant, run.run_id);
  await useBlobs(store.blobs);
}

async function readEverything(tenant: TenantStore, runId: string): Promise<void> {
  const thread_id = "thread-1";
  await tenant.loadThread(thread_id);
  for (const query of [{}, { resource_id: "r" }, { parent_thread_id: "p" }]) await tenant.listThreads(query);
  const pages = [
    {},
    { after: 1, order: "desc" },
    { visibility: "any", include_superseded: true },
    { run_id: runId },
  ] as const;
  for (const query of pages) await tenant.listMessages(thread_id, query);
  await tenant.readMessages(thread_id, 1);
  await tenant.loadSnapshot(thread_id);
  await tenant.readPatches(thread_id, 0);
  await tenant.readChangesets(thread_id, 0);
  const filters = [{ parent_run_id: "p" }, { status: "waiting" }, { agent_id: "a", created_at_from: 1 }] as const;
  for (const query of [{}, { thread_id }, ...filters]) await tenant.listRuns(query);
  await tenant.loadRun(runId);
  await tenant.loadCall(runId, "c1");
  const calls = [{ thread_id }, { run_id: runId }, { status: "running" }] as const;
  const suspended = [{}, { thread_id }, { run_id: runId }].map((query) => ({ ...query, status: "suspended" }) as const);
  for (const query of [...calls, ...suspended]) await tenant.listCalls(query);
  await tenant.loadDecision(runId, "c1", 1);
  await tenant.readInbox(thread_id, runId);
  await tenant.readEvents(runId, 1);
  await tenant.lastSeqOfEpoch(runId, 1);
  const statuses = [{ status: "queued" }, { status: "accepted" }] as const;
  for (const query of [{}, { thread_id }, { run_id: runId }, ...statuses]) await tenant.listEntries(query);
}
