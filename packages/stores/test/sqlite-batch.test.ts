import { buildChangeset, buildMessage } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { sealChangeset } from "../src/codec/seal-changeset.ts";
import type { Connection } from "../src/sqlite/connection.ts";
import { openFile } from "../src/sqlite/open-file.ts";
import { writeBatch } from "../src/sqlite/writer.ts";
import type { NumberedTask, Outcome, WriterReport } from "../src/sqlite/writer-task.ts";
import { makeStoreFolder, useTemporaryStore } from "./support/temporary-store.ts";
import { startRun } from "./support/thread-work.ts";

function useConnection(): Connection {
  const { file, remove } = makeStoreFolder();
  const connection = openFile(file, { busyTimeoutMs: 0 });
  onTestFinished(() => {
    connection.close();
    remove();
  });
  return connection;
}

function create(number: number, threadId: string): NumberedTask {
  const thread = { thread_id: threadId, metadata: {} };
  return { number, task: { task: "operation", now: 1, request: { operation: "create_thread", tenant: "t", thread } } };
}

function outcomesOf(report: WriterReport): readonly Outcome[] {
  return report.report === "done" ? report.outcomes : [];
}

function count(connection: Connection, table: string): unknown {
  return connection.get(`select count(*) as count from ${table}`)?.count;
}

it("does many tasks in one transaction and lets one that is refused leave the others alone", () => {
  const connection = useConnection();
  const report = writeBatch(connection, [create(1, "a"), create(2, "a"), create(3, "b")], 7);
  expect(outcomesOf(report)).toMatchObject([
    { number: 1, answer: { thread_id: "a" } },
    { number: 2, error: { code: "THREAD_EXISTS" } },
    { number: 3, answer: { thread_id: "b" } },
  ]);
  expect(count(connection, "threads")).toBe(2);
});

it("shows a task what the ones before it in the batch did", () => {
  const connection = useConnection();
  const commit = (number: number, expected: number): NumberedTask => {
    const changeset = sealChangeset(buildChangeset({ changeset_id: `c${number}`, thread_id: "a" }));
    const request = { operation: "commit", tenant: "t", changeset, guard: { expected, epoch: null } } as const;
    return { number, task: { task: "operation", now: 1, request } };
  };
  const report = writeBatch(connection, [create(1, "a"), commit(2, 0), commit(3, 0), commit(4, 1)], 7);
  expect(outcomesOf(report)).toMatchObject([
    { number: 1 },
    { answer: { version: 1 } },
    { error: { code: "VERSION_CONFLICT" } },
    { answer: { version: 2 } },
  ]);
});

it("undoes what a task wrote before a statement of it failed", () => {
  const connection = useConnection();
  connection.exec("create trigger broken before insert on commits begin select raise(abort, 'broken'); end");
  const changeset = buildChangeset({ thread_id: "a", messages: [buildMessage("m1")] });
  const request = {
    operation: "commit",
    tenant: "t",
    changeset: sealChangeset(changeset),
    guard: { expected: 0, epoch: null },
  } as const;
  const task: NumberedTask = { number: 2, task: { task: "operation", now: 1, request } };
  const report = writeBatch(connection, [create(1, "a"), task, create(3, "b")], 7);
  expect(outcomesOf(report)).toMatchObject([{ number: 1 }, { number: 2, error: { code: "INTERNAL" } }, { number: 3 }]);
  expect([count(connection, "commits"), count(connection, "threads")]).toEqual([0, 2]);
  expect(connection.get("select version from threads where thread_id = 'a'")).toMatchObject({ version: 0 });
});

it("fails all tasks of a transaction that cannot begin, and tells of nothing", async () => {
  const { file, store } = await useTemporaryStore();
  const [holder, waiting] = [openFile(file, { busyTimeoutMs: 0 }), openFile(file, { busyTimeoutMs: 0 })];
  holder.exec("begin immediate");
  const report = writeBatch(waiting, [create(1, "a"), create(2, "b")], 7);
  expect(report).toMatchObject({ signals: [] });
  for (const outcome of outcomesOf(report)) expect(outcome).toMatchObject({ error: { code: "STORE_UNAVAILABLE" } });
  holder.exec("rollback");
  holder.close();
  waiting.close();
  expect((await store.forTenant("t").listThreads()).total).toBe(0);
});

it("acknowledges concurrent commits of many threads, each as if it were alone", async () => {
  const { store } = await useTemporaryStore();
  const tenant = store.forTenant("default");
  const runs = await Promise.all(Array.from({ length: 20 }, (_, index) => startRun(tenant, `thread-${index}`)));
  await Promise.all(
    runs.map(async ({ commit }) => {
      for (let turn = 0; turn < 5; turn += 1) await commit();
    }),
  );
  for (const { run } of runs) {
    expect((await tenant.loadThread(run.thread_id))?.thread.version).toBe(6);
    expect((await tenant.readEvents(run.run_id, 0)).flatMap(({ events }) => events)).toHaveLength(10);
  }
});
