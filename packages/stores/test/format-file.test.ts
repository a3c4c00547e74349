import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMIT_TEXTS } from "../src/codec/columns/commit-columns.ts";
import { type ItemPosition, LineContent, readItem } from "../src/file/log/line-content.ts";
import { decodeLine, encodeLine } from "../src/file/log/log-line.ts";
import type { StoredWrite } from "../src/file/log/stored-write.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { putOneOfEverything, readEverything, writeToBoth } from "./fixtures/one-of-everything.ts";
import { NEWER, OLDER, reverse, useUpcasters } from "./fixtures/use-upcasters.ts";

/** Writes every log anew, as another version would have written it. Returns the way back. */
function rewriteLogs(folder: string, rewrite: Rewrite): () => void {
  const undo: (() => void)[] = [];
  for (const name of readdirSync(join(folder, "threads"))) {
    const path = join(folder, "threads", name);
    const before = readFileSync(path);
    const lines = before.toString("utf8").split(/(?<=\n)/);
    writeFileSync(path, Buffer.concat(lines.map((line) => rewriteLine(Buffer.from(line), rewrite))));
    undo.push(() => writeFileSync(path, before));
  }
  return () => {
    for (const restore of undo) restore();
  };
}

/** Another format, and what each text is in it. */
interface Rewrite {
  readonly format: number;
  readonly text: (text: string) => string;
}

function rewriteLine(line: Buffer, rewrite: Rewrite): Buffer {
  const decoded = decodeLine(line);
  if (decoded === undefined) throw new Error(`This is no line: ${line.toString("utf8")}`);
  if (!Array.isArray(decoded.rows)) return line;
  const writes = decoded.rows as readonly StoredWrite[];
  const content = new LineContent();
  const found = decoded.content.toString("utf8");
  const add = <Name extends string>(part: ItemPosition, names: readonly Name[]): ItemPosition => {
    const texts = Object.entries<string>(readItem(found, part, names)).map(([name, text]) => [
      name,
      rewrite.text(text),
    ]);
    return content.add(names, Object.fromEntries(texts) as Record<Name, string>);
  };
  const rows = writes.map((write) => {
    const { format } = rewrite;
    if (write.write === "snapshot") return { ...write, format, part: add(write.part, ["state"]) };
    if (write.write !== "commit") return write;
    return { ...write, format, parts: write.parts.map((part) => add(part, COMMIT_TEXTS)) };
  });
  return encodeLine(JSON.stringify(rows), content.text, decoded.durable);
}

async function openFilled() {
  const opened = await useTemporaryFileStore();
  await putOneOfEverything(opened.store);
  const before = await readEverything(opened.store.forTenant("default"));
  await opened.store.close();
  return { ...opened, before };
}

it("reads the texts of an older format in files through their upcasters, and continues with them", async () => {
  const { folder, restart, before } = await openFilled();
  rewriteLogs(folder, { format: OLDER, text: reverse });
  useUpcasters();
  const store = await restart();
  const tenant = store.forTenant("default");
  expect(await readEverything(tenant)).toEqual(before);
  await writeToBoth(tenant, "on top");
  const claims = await store.operator.claim({ owner: "o", lease_ms: 1_000, limit: 10 });
  expect(claims.map(({ kind }) => kind)).toEqual(["resume", "start"]);
});

it("refuses the texts of a newer format in files as that, and calls nothing damaged", async () => {
  const { folder, restart, before } = await openFilled();
  const restore = rewriteLogs(folder, { format: NEWER, text: (text) => text });
  const newer = (await restart()).forTenant("default");
  for (const read of [
    () => newer.readMessages("waiting", 0),
    () => newer.readChangesets("waiting", 0),
    () => newer.readPatches("waiting", 0),
    () => newer.readEvents("waiting-run-1", 0),
    () => newer.loadSnapshot("waiting"),
  ]) {
    await expect(read()).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
  }
  restore();
  const tenant = (await restart()).forTenant("default");
  expect(await readEverything(tenant)).toEqual(before);
  await writeToBoth(tenant, "still open");
});
