import { buildCall, buildChangeset, buildDecision, buildPatch } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { Connection } from "../src/sqlite/connection.ts";
import { useTemporaryStore } from "./support/temporary-store.ts";
import { startRun } from "./support/thread-work.ts";

/** A store with two threads that have one of everything. */
async function openFilled() {
  const opened = await useTemporaryStore();
  const tenant = opened.store.forTenant("default");
  for (const threadId of ["hurt", "fine"]) {
    const { run, commit } = await startRun(tenant, threadId);
    const place = { run_id: run.run_id, thread_id: threadId };
    await commit({
      calls: [buildCall({ ...place, call_id: "c1", status: "suspended", suspension: 1 })],
      patches: [buildPatch("p1", "n", 1)],
      runs: [{ ...run, status: "waiting" }],
    });
    await tenant.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }));
    await tenant.saveSnapshot(threadId, { version: 1, state: { n: 1 } });
  }
  const damage = (sql: string): void => {
    const connection = new Connection(opened.file);
    connection.exec(sql);
    connection.close();
  };
  return { tenant, damage, store: opened.store };
}

const OF_HURT = "thread_key = (select key from threads where thread_id = 'hurt')";
const FLIPPED = (column: string) => `replace(substr(${column}, 1, 4), '"', '''') || substr(${column}, 5)`;

type Opened = Awaited<ReturnType<typeof openFilled>>;

const DAMAGES: readonly (readonly [string, string, (opened: Opened, threadId: string) => Promise<unknown>])[] = [
  [
    "message",
    `update commits set messages = ${FLIPPED("messages")} where ${OF_HURT}`,
    ({ tenant }, id) => tenant.readMessages(id, 0),
  ],
  [
    "changeset",
    `update commits set rest = ${FLIPPED("rest")} where ${OF_HURT}`,
    ({ tenant }, id) => tenant.readChangesets(id, 0),
  ],
  [
    "patches",
    `update commits set patches = patches || ' ' where ${OF_HURT}`,
    ({ tenant }, id) => tenant.readPatches(id, 0),
  ],
  [
    "stretch of events",
    `update commits set events = ${FLIPPED("events")} where ${OF_HURT}`,
    ({ tenant }, id) => tenant.readEvents(`${id}-run-1`, 0),
  ],
  ["snapshot", `update snapshots set body = body || ' ' where ${OF_HURT}`, ({ tenant }, id) => tenant.loadSnapshot(id)],
];

describe("a row with a flipped character", () => {
  it.each(DAMAGES)("is found in a %s, closes its thread for writing, and leaves others alone", async (_, sql, read) => {
    const opened = await openFilled();
    const { tenant, damage } = opened;
    damage(sql);
    await expect(read(opened, "hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
    await read(opened, "fine");
    const commit = (id: string) =>
      tenant.commit(buildChangeset({ changeset_id: "x", thread_id: id }), { expected: "any", epoch: null });
    await expect(commit("hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
    expect(await commit("fine")).toEqual({ version: 3 });
    const claims = await opened.store.operator.claim({ owner: "o", lease_ms: 1, limit: 10 });
    expect(claims.map(({ thread_id }) => thread_id)).toEqual(["fine"]);
    expect((await tenant.loadThread("hurt"))?.thread.version).toBe(2);
  });

  it("is found in a run, a call, a decision and an entry", async () => {
    const opened = await openFilled();
    const { tenant, damage } = opened;
    damage(`update decisions set body = body || ' ' where ${OF_HURT};
      update entries set body = body || ' ' where ${OF_HURT};
      update run_records set body = body || ' ' where ${OF_HURT}`);
    const corrupt = { code: "CORRUPT_DATA" };
    await expect(tenant.loadRun("hurt-run-1")).rejects.toMatchObject(corrupt);
    await expect(tenant.loadCall("hurt-run-1", "c1")).rejects.toMatchObject(corrupt);
    await expect(tenant.loadDecision("hurt-run-1", "c1", 1)).rejects.toMatchObject(corrupt);
    await expect(tenant.listEntries({ thread_id: "hurt" })).rejects.toMatchObject(corrupt);
    expect(await tenant.loadRun("fine-run-1")).toMatchObject({ status: "waiting" });
    expect((await tenant.listEntries({ thread_id: "fine" })).total).toBe(2);
  });

  it("does not keep others from being claimed and renewed", async () => {
    const { store, tenant, damage } = await openFilled();
    damage(`update run_records set body = body || ' ' where ${OF_HURT}`);
    const claims = await store.operator.claim({ owner: "o", lease_ms: 60_000, limit: 10 });
    expect(claims.map(({ thread_id }) => thread_id)).toEqual(["fine"]);
    const [fine] = claims;
    const hurt = { ...(fine ?? expect.fail()), thread_id: "hurt" };
    expect(await store.operator.renew([hurt, ...claims], 60_000)).toMatchObject([{ thread_id: "fine" }]);
    await expect(tenant.loadThread("hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  });

  it("does not keep the thread from being deleted", async () => {
    const { tenant, damage } = await openFilled();
    damage(`update commits set messages = '[' where ${OF_HURT}`);
    await expect(tenant.readMessages("hurt", 0)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
    await tenant.deleteThread("hurt");
    expect(await tenant.loadThread("hurt")).toBeUndefined();
  });
});

it("does not take a row from a newer version for damage", async () => {
  const { tenant, damage } = await openFilled();
  damage(`update commits set format = 2 where ${OF_HURT}`);
  await expect(tenant.readMessages("hurt", 0)).rejects.toMatchObject({
    code: "FORMAT_TOO_NEW",
    details: { format: 2 },
  });
  await tenant.updateThread("hurt", { still: "writable" });
  const changeset = buildChangeset({ changeset_id: "x", thread_id: "hurt" });
  expect(await tenant.commit(changeset, { expected: "any", epoch: null })).toEqual({ version: 3 });
});
