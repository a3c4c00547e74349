import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Content, decodeContent, encodeContent } from "../src/file/log/content.ts";
import { decodeLine, encodeLine } from "../src/file/log/log-line.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { putOneOfEverything, readEverything, writeToBoth } from "./fixtures/one-of-everything.ts";
import { NEWER, OLDER, reverse, useUpcasters } from "./fixtures/use-upcasters.ts";

/** Writes the texts of every log anew, as another version would have written them. Returns the way back. */
function rewriteLogs(folder: string, rewrite: (content: Content) => Content): () => void {
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

function rewriteLine(line: Buffer, rewrite: (content: Content) => Content): Buffer {
  const decoded = decodeLine(line);
  if (decoded === undefined) throw new Error(`This is no line: ${line.toString("utf8")}`);
  const contents = decodeContent(decoded.content);
  // A line without texts has a number in their place.
  const texts = Array.isArray(contents) ? encodeContent(contents.map(rewrite)) : undefined;
  return encodeLine(JSON.stringify(decoded.rows), texts, decoded.durable);
}

function toOlder(content: Content): Content {
  if ("state" in content) return { format: OLDER, state: reverse(content.state) };
  const { messages, segments, patches, body } = content;
  return {
    format: OLDER,
    messages: messages.map(reverse),
    ...(segments !== undefined && { segments: segments.map(reverse) }),
    ...(patches !== undefined && { patches: reverse(patches) }),
    ...(body !== undefined && { body: reverse(body) }),
  };
}

async function openFilled() {
  const opened = await useTemporaryFileStore();
  await putOneOfEverything(opened.store);
  const before = await readEverything(opened.store.forTenant("default"));
  await opened.store.close();
  return { ...opened, before };
}

it("reads the texts of an older format in files through their upcasters, and goes on with them", async () => {
  const { folder, restart, before } = await openFilled();
  rewriteLogs(folder, toOlder);
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
  const restore = rewriteLogs(folder, (content) => ({ ...content, format: NEWER }));
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
