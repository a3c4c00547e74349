import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { buildEntry } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { SCHEMA_STEPS } from "../src/sqlite/schema.ts";
import { makeStoreFolder, useTemporaryStore } from "./support/temporary-store.ts";
import { startRun } from "./support/thread-work.ts";

function useFile(): string {
  const { file, remove } = makeStoreFolder();
  onTestFinished(remove);
  return file;
}

it("has everything again after it was closed and opened", async () => {
  const { store, reopen } = await useTemporaryStore();
  const { run, commit } = await startRun(store.forTenant("default"), "thread-1");
  const changeset = await commit();
  await store.close();
  const tenant = (await reopen()).forTenant("default");
  const [, stored] = await tenant.readChangesets("thread-1", 0);
  expect(stored).toEqual({ ...changeset, version: 2, digest: expect.any(String) });
  expect(await tenant.loadRun(run.run_id)).toEqual(run);
});

it("says how it survives", async () => {
  const { store, file } = await useTemporaryStore();
  expect(store.durability).toBe("power-loss");
  const database = new DatabaseSync(file);
  expect(database.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
  database.close();
});

it("gives each thread to one of its handles, also while its writer is busy", async () => {
  const file = useFile();
  const stores = await Promise.all([openSqliteStore({ file }), openSqliteStore({ file })]);
  const [one, other] = stores;
  for (const name of ["a", "b", "c"]) {
    await one.forTenant("t").submit(buildEntry({ entry_id: name, run_id: name, thread_id: name }));
  }
  const busy = Array.from({ length: 300 }, (_, index) =>
    one.forTenant("t").createThread({ thread_id: `busy-${index}`, metadata: {} }),
  );
  const claims = await Promise.all(
    [one, other].map((store, index) => store.operator.claim({ owner: `o${index}`, lease_ms: 60_000, limit: 3 })),
  );
  await Promise.all(busy);
  expect(
    claims
      .flat()
      .map(({ thread_id }) => thread_id)
      .toSorted(),
  ).toEqual(["a", "b", "c"]);
  await Promise.all(stores.map((store) => store.close()));
});

it("makes its tables once, however many open a new file at the same time", async () => {
  const file = useFile();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openSqliteStore({ file })));
  await Promise.all(
    stores.map((store, index) => store.forTenant("t").createThread({ thread_id: `t${index}`, metadata: {} })),
  );
  expect(await stores[0]?.forTenant("t").listThreads()).toMatchObject({ total: 4 });
  await Promise.all(stores.map((store) => store.close()));
});

it("refuses a file that a newer version wrote, and leaves it as it is", async () => {
  const file = useFile();
  await (await openSqliteStore({ file })).close();
  const database = new DatabaseSync(file);
  database.exec(`pragma user_version = ${SCHEMA_STEPS.length + 1}`);
  database.close();
  const details = { schema: SCHEMA_STEPS.length + 1 };
  await expect(openSqliteStore({ file })).rejects.toMatchObject({ code: "FORMAT_TOO_NEW", details });
});

it("refuses a database of something else", async () => {
  const file = useFile();
  const database = new DatabaseSync(file);
  database.exec("create table customers (name text)");
  database.close();
  await expect(openSqliteStore({ file })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});

it("refuses a file that is no database, and a folder that is not there", async () => {
  const file = useFile();
  writeFileSync(file, "This is not a database, but it is long enough to be taken for one. ".repeat(20));
  await expect(openSqliteStore({ file })).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  const nowhere = `${file}-nowhere/threads.db`;
  await expect(openSqliteStore({ file: nowhere })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
});

it("does what was asked before it was closed, and refuses what comes after", async () => {
  const { store, reopen } = await useTemporaryStore();
  const tenant = store.forTenant("t");
  const made = tenant.createThread({ thread_id: "in time", metadata: {} });
  const closing = store.close();
  expect(await made).toMatchObject({ thread_id: "in time" });
  const late = tenant.createThread({ thread_id: "late", metadata: {} });
  await expect(late).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await closing;
  await store.close();
  await expect(tenant.loadThread("in time")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect((await (await reopen()).forTenant("t").listThreads()).total).toBe(1);
});

it("does not keep the event loop from turning while it flushes", async () => {
  const { store } = await useTemporaryStore();
  const tenant = store.forTenant("default");
  const { commit } = await startRun(tenant, "thread-1");
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  for (let index = 0; index < 50; index += 1) await commit();
  isOver = true;
  // The answer of the writer's thread comes by the event loop, so that every commit lets it turn.
  expect(turns).toBeGreaterThanOrEqual(50);
});

it("takes times that are not whole, and refuses what is no data", async () => {
  const { store, clock } = await useTemporaryStore();
  const tenant = store.forTenant("default");
  const { run, commit } = await startRun(tenant, "thread-1");
  const odd = { ...run, created_at: clock.now() + 0.25, updated_at: 0.5 };
  await commit({ runs: [odd] });
  expect(await tenant.loadRun(run.run_id)).toEqual(odd);
  const metadata = { broken: (() => {}) as never };
  await expect(tenant.updateThread("thread-1", metadata)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect((await tenant.loadThread("thread-1"))?.thread.metadata).toEqual({});
});
