import { buildCall } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { Connection } from "../src/sqlite/connection.ts";
import { useTemporaryStore } from "./support/temporary-store.ts";
import { startRun } from "./support/thread-work.ts";

/** Rows of a view, as somebody with a SQL prompt sees them. */
async function openViews() {
  const { store, file } = await useTemporaryStore();
  const tenant = store.forTenant("default");
  const { run, commit } = await startRun(tenant, "thread-1");
  const call = buildCall({ run_id: run.run_id, thread_id: "thread-1", call_id: "c1", status: "running" });
  await commit({ calls: [call], messages: [{ id: "zero", role: "assistant", content: "a\u0000b" }] });
  await commit({ calls: [{ ...call, status: "succeeded" }], supersedes: ["zero"] });
  const connection = new Connection(file, { readOnly: true });
  onTestFinished(() => connection.close());
  return { run, select: (sql: string) => connection.all(sql) };
}

it("shows each message with its position, as JSON, and whether it is superseded", async () => {
  const { run, select } = await openViews();
  const rows = select(
    "select thread_id, run_id, position, id, role, is_superseded, message from messages order by position",
  );
  expect(rows).toMatchObject([
    { thread_id: "thread-1", position: 0, id: `${run.run_id}-m0`, is_superseded: 0 },
    { position: 1, id: "zero", role: "assistant", is_superseded: 1 },
    { position: 2, id: `${run.run_id}-m2`, is_superseded: 0 },
  ]);
  expect(JSON.parse(String(rows[1]?.message))).toEqual({ id: "zero", role: "assistant", content: "a\u0000b" });
});

it("shows events by run and seq", async () => {
  const { run, select } = await openViews();
  const rows = select("select run_id, seq, type from events order by seq");
  expect(new Set(rows.map(({ run_id }) => run_id))).toEqual(new Set([run.run_id]));
  expect(rows[0]).toMatchObject({ seq: 1 });
});

it("shows runs with their record, and calls as the last commit left them", async () => {
  const { run, select } = await openViews();
  expect(select("select run_id, status, record ->> '$.steps' as steps, open_calls from runs")).toEqual([
    { run_id: run.run_id, status: run.status, steps: run.steps, open_calls: "[]" },
  ]);
  expect(select("select call_id, version, status from calls order by version")).toEqual([
    { call_id: "c1", version: 3, status: "succeeded" },
  ]);
});
