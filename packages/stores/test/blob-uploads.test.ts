import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { BLOB_PIECE_BYTES, type BlobStore, type Store } from "@reprise/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { SCHEMA_STEPS } from "../src/sqlite/schema.ts";
import { startCuttingProxy } from "./postgres/cutting-proxy.ts";
import { useServer } from "./postgres/use-server.ts";
import { COUNT_STRAY, countStrayIn } from "./support/stray-parts.ts";
import { makeStoreFolder, useTemporaryStore } from "./support/temporary-store.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const ZEROS = new Uint8Array(2 * BLOB_PIECE_BYTES + 9);
const ZEROS_REF = `blob:${createHash("sha256").update(ZEROS).digest("hex")}`;

type WithBlobs = Store & { readonly blobs: BlobStore };

interface OpenedUploads {
  readonly store: WithBlobs;
  reopen(): Promise<WithBlobs>;
  advance(ms: number): void | Promise<void>;
  countStray(): number | Promise<number>;
  /** Puts what lies in `ZEROS` as an older version did. */
  putAsOne(): void | Promise<void>;
}

/** Three pieces, and then it stands still until it is told to continue. */
function stallingSource() {
  const stalled = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  async function* source(): AsyncGenerator<Uint8Array, void> {
    for (let piece = 1; piece <= 3; piece += 1) yield new Uint8Array(BLOB_PIECE_BYTES).fill(piece);
    stalled.resolve();
    await released.promise;
    yield new Uint8Array(BLOB_PIECE_BYTES).fill(9);
  }
  return { source: source(), stalled: stalled.promise, goOn: released.resolve };
}

function describeUploads(name: string, open: () => Promise<OpenedUploads>): void {
  describe(`uploads to ${name}`, () => {
    it.each(["opening", "pruning", "another large one"])(
      "that were cut are removed a day later, by %s",
      async (way) => {
        const { store, reopen, advance, countStray } = await open();
        const { source, stalled, goOn } = stallingSource();
        const put = store.blobs.put("t", source).catch((error: unknown) => error);
        await stalled;
        const tidy = async (): Promise<unknown> => {
          if (way === "opening") return reopen();
          return way === "pruning" ? store.operator.prune({}) : store.blobs.put("t", ZEROS);
        };
        await advance(DAY_MS - 1);
        await tidy();
        const begun = await countStray();
        expect(begun).toBeGreaterThan(2);
        await store.blobs.delete("t", ZEROS_REF);
        await advance(1);
        await tidy();
        expect(await countStray()).toBe(0);
        // A process that was at it all the time is told, and leaves nothing either.
        goOn();
        expect(await put).toMatchObject({ code: "STORE_UNAVAILABLE", message: expect.stringContaining("a day") });
        expect(await countStray()).toBe(0);
      },
    );

    it("do not keep others from writing threads", async () => {
      const { store } = await open();
      const { source, stalled, goOn } = stallingSource();
      const put = store.blobs.put("t", source);
      await stalled;
      await store.forTenant("t").createThread({ thread_id: "meanwhile", metadata: {} });
      goOn();
      expect((await put).bytes).toBe(4 * BLOB_PIECE_BYTES);
    });

    it("of an older version, which put every blob as one, are read and deleted", async () => {
      const { store, putAsOne, countStray } = await open();
      await putAsOne();
      const { info, content } = await store.blobs.get("t", ZEROS_REF);
      expect([info, Buffer.compare(content, ZEROS)]).toEqual([{ ref: ZEROS_REF, bytes: ZEROS.byteLength }, 0]);
      const lengths: number[] = [];
      const range = { start: 5, end: BLOB_PIECE_BYTES + 7 };
      for await (const piece of (await store.blobs.read("t", ZEROS_REF, range)).content) lengths.push(piece.byteLength);
      expect(lengths).toEqual([BLOB_PIECE_BYTES, 2]);
      expect(await store.blobs.put("t", ZEROS, { media_type: "image/png" })).toEqual(info);
      expect(await countStray()).toBe(0);
      await store.blobs.delete("t", ZEROS_REF);
      await expect(store.blobs.get("t", ZEROS_REF)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    });
  });
}

const INSERT_AS_ONE = `insert into blobs (tenant, ref, created_at, content) values ('t', '${ZEROS_REF}', 1, `;

function writeTo(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describeUploads("SQLite", async () => {
  const opened = await useTemporaryStore();
  return {
    ...opened,
    countStray: () => countStrayIn(opened.file),
    putAsOne: () => writeTo(opened.file, `${INSERT_AS_ONE} zeroblob(${ZEROS.byteLength}))`),
  };
});

it("finds the blobs of a SQLite file that was made before there were parts", async () => {
  const { file, remove } = makeStoreFolder();
  onTestFinished(remove);
  writeTo(file, `${SCHEMA_STEPS[0]}; pragma user_version = 1; pragma application_id = ${0x52_65_70_72}`);
  writeTo(file, `${INSERT_AS_ONE} zeroblob(${ZEROS.byteLength}))`);
  const store = await openSqliteStore({ file });
  onTestFinished(() => store.close());
  expect((await store.blobs.get("t", ZEROS_REF)).content.byteLength).toBe(ZEROS.byteLength);
  const { ref } = await store.blobs.put("t", new Uint8Array(ZEROS.byteLength).fill(1));
  expect((await store.blobs.get("t", ref)).content.at(-1)).toBe(1);
});

describeWithService("postgres", "on a real Postgres", (service) => {
  const used = useServer(service);
  const { useSchema } = used;

  it("is one blob, and nothing else, when answers of the server are lost and what was done is sent again", async () => {
    const { schema, clock, sql } = await useSchema();
    const proxy = await startCuttingProxy(used.url);
    const steps = ["insert into blob_uploads (until", "insert into blob_parts", "bytes)\n   select"];
    for (const [index, step] of steps.entries()) {
      const store = await openPostgresStore({ url: proxy.url, schema, clock, maxConnections: 1 });
      proxy.cutAnswerTo(step);
      const content = new Uint8Array(ZEROS.byteLength).fill(index);
      // The second time its parts are removed again.
      for (let time = 1; time <= 2; time += 1) {
        const { ref } = await store.blobs.put("t", content);
        expect(Buffer.compare((await store.blobs.get("t", ref)).content, content)).toBe(0);
      }
      expect([step, proxy.cuts]).toEqual([step, index + 1]);
      await store.close();
    }
    expect(Number((await sql(COUNT_STRAY))[0]?.stray)).toBe(0);
  });

  describeUploads("Postgres", async () => {
    const opened = await useSchema();
    return {
      ...opened,
      countStray: async () => Number((await opened.sql(COUNT_STRAY))[0]?.stray),
      putAsOne: async () =>
        void (await opened.sql(`${INSERT_AS_ONE} decode(repeat('00', ${ZEROS.byteLength}), 'hex'))`)),
    };
  });
});
