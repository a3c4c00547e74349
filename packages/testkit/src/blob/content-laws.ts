import { expect } from "vitest";
import { expectContent, makeBytes, refOf } from "./blob-content.ts";
import type { BlobLaw } from "./describe-blob-store.ts";

const TENANT = "tenant-1";

/** Every byte there is, text in two encodings, what looks like text and is not, and nothing. */
const CONTENTS: Readonly<Record<string, Uint8Array>> = {
  nothing: new Uint8Array(),
  "one zero": new Uint8Array([0]),
  "every byte": Uint8Array.from({ length: 256 }, (_, index) => index),
  "text in UTF-8": new TextEncoder().encode("ünï\u0000côdé 🦊 \ufeff"),
  "text in UTF-16": new Uint8Array([0xff, 0xfe, 0x3d, 0xd8, 0x00]),
  "no text at all": new Uint8Array([0xc3, 0x28, 0xf0, 0x9f, 0xed, 0xa0, 0x80]),
  "what a database would escape": new TextEncoder().encode("\\x00'\"\\000 E'' \r\n\t"),
};

/** What is put is what one gets. */
export function contentLaws(law: BlobLaw): void {
  for (const [what, content] of Object.entries(CONTENTS)) {
    law(`keeps ${what}, under the hash of its bytes`, async ({ blobs }) => {
      expect(await blobs.put(TENANT, content)).toEqual({ ref: refOf(content), bytes: content.byteLength });
      await expectContent(blobs, TENANT, content);
    });
  }

  law("keeps ten megabytes", async ({ blobs }) => {
    const content = makeBytes(10 * 1024 * 1024);
    expect(await blobs.put(TENANT, content)).toEqual({ ref: refOf(content), bytes: content.byteLength });
    await expectContent(blobs, TENANT, content);
  });

  law("takes the part of a larger buffer that it was given, and no more", async ({ blobs }) => {
    const whole = makeBytes(1_000);
    const part = whole.subarray(100, 200);
    expect((await blobs.put(TENANT, part)).bytes).toBe(100);
    await expectContent(blobs, TENANT, Uint8Array.from(part));
  });

  law("has its own copy of what was put, and gives out copies", async ({ blobs }) => {
    const content = makeBytes(64);
    const original = content.slice();
    const { ref } = await blobs.put(TENANT, content);
    content.fill(0);
    await expectContent(blobs, TENANT, original);
    (await blobs.get(TENANT, ref)).content.fill(7);
    await expectContent(blobs, TENANT, original);
  });

  law("keeps the media type, and none when none was said", async ({ blobs }) => {
    const types = ["image/png", 'text/plain; charset="utf-8"', "odd \u0000 🦊 \\ type"];
    for (const [index, media_type] of types.entries()) {
      const info = await blobs.put(TENANT, makeBytes(10, index), { media_type });
      expect(info).toEqual({ ref: info.ref, bytes: 10, media_type });
      expect((await blobs.get(TENANT, info.ref)).info).toEqual(info);
    }
    const plain = await blobs.put(TENANT, makeBytes(11));
    expect((await blobs.get(TENANT, plain.ref)).info).toEqual({ ref: plain.ref, bytes: 11 });
  });

  law("is the same blob when the same bytes are put again, and says of it what was said first", async ({ blobs }) => {
    const content = makeBytes(100);
    const first = await blobs.put(TENANT, content, { media_type: "image/png" });
    expect(await blobs.put(TENANT, content)).toEqual(first);
    expect(await blobs.put(TENANT, content, { media_type: "text/html" })).toEqual(first);
    expect((await blobs.get(TENANT, first.ref)).info).toEqual(first);
  });

  law("is one blob when many put the same bytes at once", async (opened) => {
    const { blobs } = opened;
    const other = (await opened.reopen?.()) ?? blobs;
    const content = makeBytes(200_000);
    const puts = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? blobs : other).put(TENANT, content));
    for (const info of await Promise.all(puts)) expect(info).toEqual({ ref: refOf(content), bytes: 200_000 });
    await expectContent(blobs, TENANT, content);
    await blobs.delete(TENANT, refOf(content));
    await expect(other.get(TENANT, refOf(content))).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
  });

  law("keeps many different blobs that are put at once", async ({ blobs }) => {
    const contents = Array.from({ length: 40 }, (_, index) => makeBytes(5_000 + index, index + 1));
    await Promise.all(contents.map((content) => blobs.put(TENANT, content)));
    await Promise.all(contents.map((content) => expectContent(blobs, TENANT, content)));
  });

  law("has what was put also through another handle, where there can be one", async (opened) => {
    const content = makeBytes(3_000);
    const info = await opened.blobs.put(TENANT, content, { media_type: "image/png" });
    const later = (await opened.reopen?.()) ?? opened.blobs;
    await expectContent(later, TENANT, content);
    expect(await later.put(TENANT, content)).toEqual(info);
    await later.delete(TENANT, info.ref);
    await expect(opened.blobs.get(TENANT, info.ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
  });
}
