import { copyFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TenantStore } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { encodeLine } from "../src/file/log/log-line.ts";
import { openFileStore } from "../src/file/open-file-store.ts";
import { documentPath, putDocument } from "./file/documents-on-disk.ts";
import { flipText } from "./file/logs-on-disk.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { NEWER, OLDER, reverse, useUpcasters } from "./fixtures/use-upcasters.ts";

const PLACE = { kind: "k", id: "d" };

describe("a document that changed on the disk", () => {
  it("is found by its checksum, can be saved over, and leaves others alone", async () => {
    const { store, folder, restart } = await useTemporaryFileStore();
    const revision = await putDocument(store.forTenant("default"), "telltale");
    await putDocument(store.forTenant("default"), "fine", "fine");
    flipText(documentPath(folder), "telltale");
    const expectDamaged = async (tenant: TenantStore): Promise<void> => {
      await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
      expect(await tenant.loadDocument("k", "fine")).toMatchObject({ body: "fine" });
    };
    await expectDamaged(store.forTenant("default"));
    const tenant = (await restart()).forTenant("default");
    await expectDamaged(tenant);
    expect(await tenant.saveDocument({ ...PLACE, body: "anew" }, revision)).toMatchObject({ saved: true });
    expect(await tenant.loadDocument("k", "d")).toMatchObject({ body: "anew" });
  });

  it("is reported as damaged when its owner cannot be read, and can be deleted", async () => {
    const { store, folder, restart } = await useTemporaryFileStore();
    await putDocument(store.forTenant("default"), "body");
    flipText(documentPath(folder), '"tenant"');
    const tenant = (await restart()).forTenant("default");
    const corrupt = { code: "CORRUPT_DATA" };
    await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject(corrupt);
    await expect(tenant.saveDocument({ ...PLACE, body: 1 }, 0)).rejects.toMatchObject(corrupt);
    await expect(tenant.deleteDocument("k", "d", 1)).rejects.toMatchObject(corrupt);
    expect((await tenant.listDocuments({ kind: "k" })).items).toEqual([]);
    expect(await tenant.deleteDocument("k", "d")).toBe(true);
    expect(existsSync(documentPath(folder))).toBe(false);
    expect(await tenant.saveDocument({ ...PLACE, body: 1 }, 0)).toMatchObject({ saved: true });
  });

  it("is ignored when it bears the name of another, or is a link", async () => {
    const { store, folder, restart } = await useTemporaryFileStore();
    await putDocument(store.forTenant("default"), "body");
    copyFileSync(documentPath(folder), documentPath(folder, "copy"));
    const outside = `${folder}-outside`;
    writeFileSync(outside, readFileSync(documentPath(folder)));
    symlinkSync(outside, documentPath(folder, "link"));
    const tenant = (await restart()).forTenant("default");
    expect((await tenant.listDocuments({ kind: "k" })).items.map(({ id }) => id)).toEqual(["d"]);
    for (const id of ["copy", "link"]) {
      await expect(tenant.loadDocument("k", id)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
      expect(await tenant.deleteDocument("k", id)).toBe(true);
    }
    expect(existsSync(outside)).toBe(true);
    rmSync(outside);
  });

  it("is left to newer versions when one of them wrote it", async () => {
    const { store, folder } = await useTemporaryFileStore();
    await putDocument(store.forTenant("default"), "body");
    await store.close();
    writeFileSync(documentPath(folder), encodeLine("{}", undefined, 0, 2));
    await expect(openFileStore({ folder })).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
  });
});

it("continues to read and saves nothing when used revisions are unknown", async () => {
  const { store, folder, restart } = await useTemporaryFileStore();
  await putDocument(store.forTenant("default"), "body");
  const mark = join(folder, "documents", "revisions.json");
  writeFileSync(mark, readFileSync(mark, "utf8").replace("1000", "1001"));
  const tenant = (await restart()).forTenant("default");
  expect(await tenant.loadDocument("k", "d")).toMatchObject({ body: "body" });
  await expect(putDocument(tenant, "new")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
});

describe("the text of a document", () => {
  it("is read through its upcaster when it is of an older format, and refused when of a newer one", async () => {
    const { store, folder, restart } = await useTemporaryFileStore();
    await putDocument(store.forTenant("default"), "body");
    // A line is a JSON array that ends with what is known of the document, and its text.
    const line: unknown[] = JSON.parse(readFileSync(documentPath(folder), "utf8"));
    const [head, text] = [Object(line.at(-2)), String(line.at(-1))];
    const write = (format: number, body: string): void =>
      writeFileSync(documentPath(folder), encodeLine(JSON.stringify({ ...head, format }), JSON.stringify(body), 0));
    write(OLDER, reverse(text));
    useUpcasters();
    const tenant = (await restart()).forTenant("default");
    expect(await tenant.loadDocument("k", "d")).toMatchObject({ body: "body" });
    write(NEWER, text);
    await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
  });
});
