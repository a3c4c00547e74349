import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildMessage } from "@reprise/testkit";
import { expect, it } from "vitest";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { startRun } from "./support/thread-work.ts";

it("refuses writes while the disk is full, reads on, and writes again when there is space", async (context) => {
  const folder = mountSmallDisk(context, 4);
  const ballast = join(folder, "ballast");
  writeFileSync(ballast, Buffer.alloc(2_500_000));
  const store = await openSqliteStore({ file: join(folder, "threads.db") });
  const tenant = store.forTenant("default");
  const { commit } = await startRun(tenant, "thread-1");
  const big = "x".repeat(100_000);
  const { document } = await tenant.saveDocument({ kind: "k", id: "d", body: "before" }, 0);
  const grow = () => tenant.saveDocument({ kind: "k", id: "d", body: big.repeat(2) }, document?.revision ?? 0);
  let stored = 1;
  const fill = async (): Promise<void> => {
    for (; stored < 100; stored += 1)
      await commit({ messages: [buildMessage(`big-${stored}`, { content: big })], events: [] });
  };
  await expect(fill()).rejects.toMatchObject({ code: "STORAGE_FULL" });
  await expect(grow()).rejects.toMatchObject({ code: "STORAGE_FULL" });
  expect(await tenant.loadDocument("k", "d")).toEqual(document);
  expect((await tenant.readMessages("thread-1", 0)).messages).toHaveLength(stored);
  expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(stored);
  truncateSync(ballast, 0);
  await commit({ messages: [buildMessage("after", { content: big })], events: [] });
  expect(await grow()).toMatchObject({ saved: true });
  expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(stored + 1);
  await store.close();
});
