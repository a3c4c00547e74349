import { expect, it } from "vitest";
import { Connection } from "../src/sqlite/connection.ts";
import { useTemporaryStore } from "./support/temporary-store.ts";

const PLACE = { kind: "k", id: "d" };

it("continues with its revisions in a file that was closed and opened, also after the last document was deleted", async () => {
  const { store, reopen } = await useTemporaryStore();
  const { document } = await store.forTenant("t").saveDocument({ ...PLACE, body: 1 }, 0);
  await store.forTenant("t").deleteDocument("k", "d");
  await store.close();
  const again = await (await reopen()).forTenant("t").saveDocument({ ...PLACE, body: 2 }, 0);
  expect(again.document?.revision).toBeGreaterThan(document?.revision ?? Number.POSITIVE_INFINITY);
});

it("finds a document that changed on the disk, which can be saved over and deleted, and leaves others alone", async () => {
  const { store, file } = await useTemporaryStore();
  const tenant = store.forTenant("t");
  const { document } = await tenant.saveDocument({ ...PLACE, body: "before" }, 0);
  await tenant.saveDocument({ kind: "k", id: "fine", body: 1 }, 0);
  const damage = (set: string): void => {
    const connection = new Connection(file);
    connection.exec(`update documents set ${set} where id = 'd'`);
    connection.close();
  };
  damage("body = replace(body, 'b', 'B')");
  await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  await expect(tenant.listDocuments({ kind: "k" })).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  await expect(tenant.saveDocument({ ...PLACE, body: 2 }, 0)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  expect(await tenant.loadDocument("k", "fine")).toMatchObject({ body: 1 });
  expect(await tenant.saveDocument({ ...PLACE, body: 2 }, document?.revision ?? 0)).toMatchObject({ saved: true });
  damage("format = format + 1");
  await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
  damage("format = format - 1, body = '['");
  expect(await tenant.deleteDocument("k", "d")).toBe(true);
  expect(await tenant.loadDocument("k", "d")).toBeUndefined();
});

it("refuses documents when it is closed", async () => {
  const { store } = await useTemporaryStore();
  const tenant = store.forTenant("t");
  await store.close();
  const closed = { code: "STORE_UNAVAILABLE" };
  await expect(tenant.saveDocument({ ...PLACE, body: 1 }, 0)).rejects.toMatchObject(closed);
  await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject(closed);
});
