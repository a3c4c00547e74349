import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildMessage } from "@reprise/testkit";
import { expect, it } from "vitest";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import { openFileStore } from "../src/file/open-file-store.ts";
import { startRun } from "./support/thread-work.ts";

it("refuses writes while the disk is full, reads on, and writes again when there is space", async (context) => {
  const place = mountSmallDisk(context, 4);
  const ballast = join(place, "ballast");
  writeFileSync(ballast, Buffer.alloc(2_500_000));
  const folder = join(place, "store");
  const store = await openFileStore({ folder });
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
  await expect(fill()).rejects.toMatchObject({ code: "STORAGE_FULL", details: { disk: "ENOSPC" } });
  await expect(store.blobs.put("default", new Uint8Array(1_000_000))).rejects.toMatchObject({ code: "STORAGE_FULL" });
  await expect(grow()).rejects.toMatchObject({ code: "STORAGE_FULL" });
  expect(await tenant.loadDocument("k", "d")).toEqual(document);
  expect((await tenant.readMessages("thread-1", 0)).messages).toHaveLength(stored);
  expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(stored);
  truncateSync(ballast, 0);
  await commit({ messages: [buildMessage("after", { content: big })], events: [] });
  expect(await grow()).toMatchObject({ saved: true });
  await store.close();
  const reopened = await openFileStore({ folder });
  expect((await reopened.forTenant("default").readMessages("thread-1", 0)).messages).toHaveLength(stored + 1);
  await reopened.close();
});
