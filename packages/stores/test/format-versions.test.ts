import type { Store } from "@reprise/contracts";
import { buildEntry, createFakeEnv } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { STORED_FORMAT } from "../src/codec/stored-text.ts";
import { putOneOfEverything, readEverything, writeToBoth } from "./fixtures/one-of-everything.ts";
import { type RowAccess, renumberTexts, rewriteTexts, TEXT_TABLES } from "./fixtures/stored-rows.ts";
import { NEWER, OLDER, reverse, useUpcasters } from "./fixtures/use-upcasters.ts";
import { useServer } from "./postgres/use-server.ts";
import { openInThreadStore } from "./support/in-thread-store.ts";

interface OpenedRows {
  readonly store: Store;
  readonly rows: RowAccess;
  advance(ms: number): Promise<void> | void;
}

function describeFormats(name: string, open: () => Promise<OpenedRows>): void {
  describe(`formats in ${name}`, () => {
    it("reads every text of an older format through its upcaster, and continues with it", async () => {
      const { store, rows } = await open();
      await putOneOfEverything(store);
      const tenant = store.forTenant("default");
      const before = await readEverything(tenant);
      for (const table of TEXT_TABLES) {
        expect([table, await rewriteTexts(rows, table, OLDER, reverse)]).not.toEqual([table, 0]);
      }
      useUpcasters();
      expect(await readEverything(tenant)).toEqual(before);
      await writeToBoth(tenant, "on top");
      const claims = await store.operator.claim({ owner: "o", lease_ms: 1_000, limit: 10 });
      expect(claims.map(({ kind, thread_id }) => [kind, thread_id])).toEqual([
        ["resume", "waiting"],
        ["start", "queued"],
      ]);
      expect(claims[1]?.entry?.request?.messages).toEqual([{ role: "user", content: "what is asked for" }]);
    });

    it.each(TEXT_TABLES)("refuses %s of a newer format as that, and calls nothing damaged", async (table) => {
      const { store, rows } = await open();
      await putOneOfEverything(store);
      const tenant = store.forTenant("default");
      const before = await readEverything(tenant);
      await renumberTexts(rows, table, NEWER);
      await expect(readEverything(tenant)).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
      await renumberTexts(rows, table, STORED_FORMAT);
      expect(await readEverything(tenant)).toEqual(before);
      await writeToBoth(tenant, "still open");
    });

    it.each(["run_records", "entries", "decisions", "threads"] as const)(
      "leaves a thread with a newer row of %s to newer processes, and claims the others",
      async (table) => {
        const { store, rows, advance } = await open();
        await putOneOfEverything(store);
        await renumberTexts(rows, table, NEWER);
        await store.forTenant("default").submit(buildEntry({ entry_id: "e", run_id: "r", thread_id: "ours" }));
        const first = await store.operator.claim({ owner: "old", lease_ms: 1_000, limit: 10 });
        expect(first.map(({ thread_id }) => thread_id)).toContain("ours");
        const claimed = new Set(first.map(({ thread_id }) => thread_id));
        await renumberTexts(rows, table, STORED_FORMAT);
        // What the older process left alone is there, if not at once, for one that can read it.
        await advance(60_000);
        const rest = await store.operator.claim({ owner: "new", lease_ms: 1_000, limit: 10 });
        for (const { thread_id } of rest) claimed.add(thread_id);
        expect([...claimed].toSorted()).toEqual(["ours", "queued", "waiting"]);
      },
    );
  });
}

describeFormats("sqlite", async () => {
  const { clock, advance } = createFakeEnv();
  const { store, connection, close } = openInThreadStore(clock);
  onTestFinished(close);
  const rows: RowAccess = {
    place: "rowid",
    checksums: "unsigned",
    select: async (sql) => connection.all(sql),
    write: async (sql) => connection.exec(sql),
  };
  return { store, rows, advance };
});

describeWithService("postgres", "on a real Postgres", (service) => {
  const { useSchema } = useServer(service);
  describeFormats("postgres", async () => {
    const { store, sql, advance } = await useSchema();
    const rows: RowAccess = {
      place: "ctid",
      checksums: "signed",
      select: (text) => sql(text.replace("ctid as place", "ctid::text as place")),
      write: async (text) => void (await sql(text)),
    };
    return { store, rows, advance };
  });
});
