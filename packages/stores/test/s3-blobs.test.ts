import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { BLOB_PIECE_BYTES, RepriseError } from "@reprise/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { type S3Options, s3 } from "../src/s3/index.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import type { S3Service } from "./s3/start-s3.ts";
import { objectsUnder, useS3 } from "./s3/use-s3.ts";
import { makeStoreFolder, openTemporaryStore } from "./support/temporary-store.ts";

const service = useS3();
const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1_000;

async function open(more: Partial<S3Options> = {}) {
  const options = service().options(more);
  const opened = await openTemporaryStore({ blobs: s3(options) });
  onTestFinished(opened.close);
  return { ...opened, options, objects: () => objectsUnder(service(), options.prefix ?? "") };
}

/** Megabytes that differ. */
async function* megabytes(count: number): AsyncGenerator<Uint8Array, void> {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(MIB).fill(index + 1);
}

interface SeenRequest {
  readonly method: string;
  readonly url: string;
}

/** What stands between the store and the service: notes requests, and may answer them itself. */
async function startBetween(
  target: S3Service,
  answer: (seen: SeenRequest, count: number) => { readonly status: number; readonly body?: string } | "cut" | undefined,
): Promise<{ readonly endpoint: string; readonly seen: readonly SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const { host } = new URL(target.endpoint);
  const server: Server = createServer((incoming, outgoing) => {
    const noted = { method: incoming.method ?? "", url: incoming.url ?? "" };
    seen.push(noted);
    const own = answer(noted, seen.length);
    if (own !== undefined && own !== "cut") {
      incoming.resume();
      outgoing.writeHead(own.status).end(own.body);
      return;
    }
    // The signature is for the host that the store asked for, so that must stay.
    const headers = { ...incoming.headers };
    const onward = request(`http://${host}${noted.url}`, { method: noted.method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      if (own === "cut") response.once("data", (chunk: Buffer) => outgoing.write(chunk, () => outgoing.destroy()));
      else response.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, seen };
}

describe("blobs in S3", () => {
  it("keeps a large blob as one object of several parts, and a small one in the database", async () => {
    const { store, objects } = await open({ inlineBytes: 1_000, partBytes: 5 * MIB });
    const small = await store.blobs.put("t", new Uint8Array(1_000));
    expect(objects()).toEqual([]);
    const large = await store.blobs.put("t", megabytes(12), { media_type: "video/mp4" });
    expect(objects()).toHaveLength(1);
    expect(await store.blobs.usage("t")).toBe(1_000 + 12 * MIB);
    const { content } = await store.blobs.get("t", large.ref);
    expect([content.byteLength, content[0], content[5 * MIB], content.at(-1)]).toEqual([12 * MIB, 1, 6, 12]);
    const range = await store.blobs.read("t", large.ref, { start: 5 * MIB - 1, end: 5 * MIB + 1 });
    const pieces: number[] = [];
    for await (const piece of range.content) pieces.push(...piece);
    expect(pieces).toEqual([5, 6]);
    expect((await store.blobs.get("t", small.ref)).content).toEqual(new Uint8Array(1_000));
  });

  it("gives every tenant an object of its own, and the same bytes of a tenant one", async () => {
    const { store, objects } = await open();
    const content = new Uint8Array(300_000).fill(7);
    const infos = [];
    for (const tenant of ["one", "one", "two", "späti/../one"]) {
      if (tenant.includes("/"))
        await expect(store.blobs.put(tenant, content)).rejects.toMatchObject({ code: "INVALID_ID" });
      else infos.push(await store.blobs.put(tenant, content));
    }
    expect(new Set(infos.map(({ ref }) => ref)).size).toBe(1);
    expect(
      objects()
        .map((name) => name.split("/")[0])
        .sort(),
    ).toEqual(["one", "two"]);
  });

  it("links to an object for a while, with the type and name that a browser is to see", async () => {
    const { store } = await open({ inlineBytes: 10 });
    const { ref } = await store.blobs.put("t", new TextEncoder().encode("Hello from the bucket."));
    const options = { expires_s: 60, media_type: "text/plain", disposition: "attachment" };
    const url = await store.blobs.link?.("t", ref, options);
    const answer = await fetch(String(url));
    expect(await answer.text()).toBe("Hello from the bucket.");
    expect([answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
      "text/plain",
      "attachment",
    ]);
    const forged = await fetch(String(url).replace("attachment", "inline"));
    expect(forged.status).toBe(403);
    const inline = await store.blobs.put("t", new Uint8Array(10));
    expect(await store.blobs.link?.("t", inline.ref, options)).toBeUndefined();
    await expect(store.blobs.link?.("other", ref, options)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
  });

  it("makes links at the address that browsers reach", async () => {
    const { store } = await open({ publicEndpoint: "https://files.example.com/s3" });
    const { ref } = await store.blobs.put("t", new Uint8Array(10));
    const url = new URL(String(await store.blobs.link?.("t", ref, { expires_s: 60 })));
    expect(url.origin).toBe("https://files.example.com");
    expect(url.pathname).toMatch(/^\/s3\/blobs\/store-\d+\/t\//);
  });

  it("removes objects that are deleted or collected, and those of puts that broke off", async () => {
    const { store, objects, advance } = await open({ partBytes: 5 * MIB });
    const { ref } = await store.blobs.put("t", new Uint8Array(500_000));
    await store.blobs.put("t", new Uint8Array(600_000));
    expect(objects()).toHaveLength(2);
    await store.blobs.delete("t", ref);
    expect(objects()).toHaveLength(1);
    advance(26 * HOUR_MS);
    expect(await store.blobs.collect()).toBe(1);
    expect(objects()).toEqual([]);
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield* megabytes(6);
      throw new Error("It broke off.");
    }
    await expect(store.blobs.put("t", broken())).rejects.toThrow("It broke off.");
    await expect(store.blobs.put("t", new Uint8Array(400_000), { quota_bytes: 1 })).rejects.toMatchObject({
      code: "BLOB_QUOTA_EXCEEDED",
    });
    expect([objects(), await store.blobs.usage("t")]).toEqual([[], 0]);
  });

  it("tells the service to drop the parts of a put that broke off", async () => {
    const between = await startBetween(service(), () => undefined);
    const { store } = await open({ endpoint: between.endpoint, partBytes: 5 * MIB });
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield* megabytes(6);
      throw new Error("It broke off.");
    }
    await expect(store.blobs.put("t", broken())).rejects.toThrow("It broke off.");
    const aborts = between.seen.filter(({ method, url }) => method === "DELETE" && url.includes("uploadId="));
    expect(aborts).toHaveLength(1);
  });

  it("removes, a day later, what a process left that died in the middle", async () => {
    const { store, objects, advance, reopen, file } = await open();
    const stalled = Promise.withResolvers<void>();
    async function* source(): AsyncGenerator<Uint8Array, void> {
      yield new Uint8Array(BLOB_PIECE_BYTES);
      yield new Uint8Array(BLOB_PIECE_BYTES);
      stalled.resolve();
      await new Promise(() => {});
    }
    void store.blobs.put("t", source());
    await stalled.promise;
    // What its upload would have written, had it come that far.
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(file);
    const key = String(database.prepare("select upload from blob_uploads").get()?.upload).slice("object:".length);
    const other = s3({ ...service().options(), prefix: (await prefixOf(store)) ?? "" });
    const upload = other.upload(key);
    await upload.add(new Uint8Array(10));
    await upload.finish();
    database.close();
    advance(24 * HOUR_MS);
    const next = await reopen();
    expect(objects()).toEqual([]);
    expect(await next.blobs.usage("t")).toBe(0);

    async function prefixOf({ blobs }: typeof store): Promise<string | undefined> {
      const { ref } = await blobs.put("probe", new Uint8Array(1));
      const url = new URL(String(await blobs.link?.("probe", ref, { expires_s: 60 })));
      await blobs.delete("probe", ref);
      return /^\/blobs\/(store-\d+\/)/.exec(url.pathname)?.[1];
    }
  });

  it("reads on where a connection broke off", async () => {
    let cuts = 0;
    const between = await startBetween(service(), ({ method }) => {
      if (method !== "GET" || cuts >= 2) return undefined;
      cuts += 1;
      return "cut";
    });
    const { store, options } = await open();
    const content = Uint8Array.from({ length: 3 * MIB }, (_, index) => (index * 7) % 251);
    const { ref } = await store.blobs.put("t", content);
    cuts = 0;
    const far = s3({ ...options, endpoint: between.endpoint });
    const folder = makeStoreFolder();
    onTestFinished(folder.remove);
    const read: number[] = [];
    const url = new URL(String(await store.blobs.link?.("t", ref, { expires_s: 60 })));
    const key = url.pathname.slice(`/blobs/${options.prefix}`.length);
    let bytes = 0;
    for await (const piece of far.read(key, { start: 0, end: content.byteLength })) {
      expect(piece).toEqual(content.slice(bytes, bytes + piece.byteLength));
      bytes += piece.byteLength;
    }
    expect([bytes, cuts, read]).toEqual([content.byteLength, 2, []]);
  });

  it("tries again when the service is busy, and says when it stays so", async () => {
    let refusals = 1;
    const between = await startBetween(service(), ({ method }) => {
      if (method !== "PUT" || refusals === 0) return undefined;
      refusals -= 1;
      return { status: 503, body: "<Error><Code>SlowDown</Code></Error>" };
    });
    const { store } = await open({ endpoint: between.endpoint });
    await store.blobs.put("t", new Uint8Array(10));
    refusals = 9;
    await expect(store.blobs.put("t", new Uint8Array(11))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("503 SlowDown"),
    });
  });

  it("notices bytes that are not those that were put", async () => {
    const { store, options } = await open();
    const { ref } = await store.blobs.put("t", new Uint8Array(1_000).fill(1));
    const url = new URL(String(await store.blobs.link?.("t", ref, { expires_s: 60 })));
    const upload = s3(options).upload(url.pathname.slice(`/blobs/${options.prefix}`.length));
    await upload.add(new Uint8Array(1_000).fill(2));
    await upload.finish();
    await expect(store.blobs.get("t", ref)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  });

  it("reads no object without a configuration, and keeps it", async () => {
    const { store, file, clock, objects } = await open();
    const { ref } = await store.blobs.put("t", new Uint8Array(1_000));
    await store.close();
    const without = await openSqliteStore({ file, clock });
    await expect(without.blobs.get("t", ref)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("has none configured"),
    });
    await without.blobs.delete("t", ref);
    await without.close();
    expect(objects()).toHaveLength(1);
  });
});

describe("an S3 service that refuses", () => {
  const opening = async (more: Partial<S3Options>): Promise<RepriseError> => {
    const { file, remove } = makeStoreFolder();
    onTestFinished(remove);
    const failure: unknown = await openSqliteStore({ file, blobs: s3(service().options(more)) }).catch(
      (error: unknown) => error,
    );
    if (!RepriseError.is(failure)) throw new Error("It opened.");
    return failure;
  };

  it.each([
    ["a bucket that is not there", { bucket: "nobody" }, "bucket", "there is no bucket nobody"],
    [
      "an unknown key",
      { credentials: { accessKeyId: "AKIA0001WXYZ", secretAccessKey: "secret-word" } },
      "credentials",
      "does not accept the access key ****WXYZ",
    ],
    [
      "a wrong secret",
      { credentials: { accessKeyId: "S3RVER", secretAccessKey: "secret-word" } },
      "credentials",
      "does not accept the access key ****RVER",
    ],
  ])("says so of %s when it is opened, and shows no secret", async (_, more, reason, words) => {
    const failure = await opening(more);
    expect(failure).toMatchObject({ code: "STORE_UNAVAILABLE", details: { reason } });
    expect(failure.message).toContain(words);
    expect(JSON.stringify([failure.message, failure.details])).not.toContain("secret-word");
  });

  it("says how far the clocks are apart", async () => {
    const date = new Date(Date.now() - HOUR_MS).toUTCString();
    const server = createServer((_, response) => {
      response.writeHead(403, { date }).end("<Error><Code>RequestTimeTooSkewed</Code></Error>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const failure = await opening({ endpoint: `http://127.0.0.1:${port}` });
    expect(failure.details.reason).toBe("clock_skew");
    expect(failure.message).toMatch(
      /the clock of this machine is 3[56]\d\d seconds away from the service's\. Set the clock/,
    );
  });

  it("opens while the service cannot be reached, and says so when a blob needs it", async () => {
    const { store } = await open({ endpoint: "http://127.0.0.1:9", inlineBytes: 100 });
    expect((await store.blobs.put("t", new Uint8Array(100))).bytes).toBe(100);
    await expect(store.blobs.put("t", new Uint8Array(101))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { reason: "connection" },
    });
    expect(await store.blobs.usage("t")).toBe(100);
  });

  it.each([
    [{ bucket: "no/bucket" }, "bucket must be"],
    [{ endpoint: "ftp://example.com" }, "endpoint must be"],
    [{ endpoint: "https://key:secret@example.com" }, "endpoint must be"],
    [{ partBytes: 1_000 }, "partBytes must be"],
  ])("refuses the options %j", (more, words) => {
    expect(() => s3({ ...service().options(), ...more })).toThrow(words);
  });
});
