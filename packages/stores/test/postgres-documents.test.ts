import { eventually } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { startCuttingProxy } from "./postgres/cutting-proxy.ts";
import { useServer } from "./postgres/use-server.ts";

const PLACE = { kind: "k", id: "d" };

describeWithService("postgres", "documents in Postgres", (service) => {
  const used = useServer(service);

  it("end by the time of the server", async () => {
    const { schema, sql } = await used.useSchema();
    const store = await openPostgresStore({ url: used.url, schema });
    onTestFinished(() => store.close());
    const tenant = store.forTenant("t");
    const readTime = async (): Promise<number> => {
      const [server] = await sql("select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now");
      return Number(server?.now);
    };
    const before = await readTime();
    const { document } = await tenant.saveDocument({ ...PLACE, body: 1 }, 0);
    const now = await readTime();
    expect(document?.updated_at).toBeGreaterThanOrEqual(before);
    expect(document?.updated_at).toBeLessThanOrEqual(now);
    const soon = await tenant.saveDocument({ ...PLACE, body: 2, expires_at: now + 60_000 }, document?.revision ?? 0);
    expect(await tenant.loadDocument("k", "d")).toEqual(soon.document);
    expect(await store.operator.prune({})).toMatchObject({ documents: 0 });
    await sql("update documents set expires_at = expires_at - 60000");
    await eventually(async () => expect(await tenant.loadDocument("k", "d")).toBeUndefined());
    expect((await tenant.listDocuments({ kind: "k" })).items).toEqual([]);
    expect(await tenant.deleteDocument("k", "d")).toBe(false);
    expect(await store.operator.prune({})).toMatchObject({ documents: 1 });
    expect(await sql("select 1 from documents")).toEqual([]);
  });

  it("are saved by one of many also where transactions are isolated strictly", async () => {
    const { store, sql, reopen } = await used.useSchema();
    await sql("alter role reprise set default_transaction_isolation = 'repeatable read'");
    onTestFinished(async () => {
      await used.sql("alter role reprise reset default_transaction_isolation");
    });
    const strict = [await reopen(), await reopen()].map((handle) => handle.forTenant("t"));
    const { document } = await store.forTenant("t").saveDocument({ ...PLACE, body: "none" }, 0);
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        strict[index % 2]?.saveDocument({ ...PLACE, body: index }, document?.revision ?? 0),
      ),
    );
    const winners = results.filter((result) => result?.saved);
    expect(winners).toHaveLength(1);
    for (const result of results) expect(result?.document).toEqual(winners[0]?.document);
  });

  it("are in doubt when the answer to a save was lost, and not tried again", async () => {
    const { schema, clock } = await used.useSchema();
    const proxy = await startCuttingProxy(used.url);
    const cut = await openPostgresStore({ url: proxy.url, schema, clock });
    onTestFinished(() => cut.close());
    const tenant = cut.forTenant("t");
    proxy.cutAnswerTo("unmistakable");
    const lost = tenant.saveDocument({ ...PLACE, body: "unmistakable" }, 0);
    await expect(lost).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", details: { in_doubt: true } });
    expect(await tenant.loadDocument("k", "d")).toMatchObject({ body: "unmistakable" });
    expect(proxy.cuts).toBe(1);
  });

  it("are refused while the server is gone or full, which changes nothing", async () => {
    const { store, sql } = await used.useSchema({ connectTimeoutMs: 2_000 });
    const tenant = store.forTenant("t");
    const { document } = await tenant.saveDocument({ ...PLACE, body: 1 }, 0);
    const revision = document?.revision ?? 0;
    await sql(`create function fail() returns trigger language plpgsql as $$ begin
      raise exception 'full' using errcode = '53100'; end $$`);
    await sql("create trigger broken before insert or update on documents for each row execute function fail()");
    const save = (id: string, expected: number) => tenant.saveDocument({ kind: "k", id, body: 2 }, expected);
    await expect(save("d", revision)).rejects.toMatchObject({ code: "STORAGE_FULL" });
    await expect(save("new", 0)).rejects.toMatchObject({ code: "STORAGE_FULL" });
    expect((await tenant.listDocuments({ kind: "k" })).items).toEqual([document]);
    await sql("drop trigger broken on documents");
    await used.server.kill();
    const gone = { code: "STORE_UNAVAILABLE" };
    await expect(save("d", revision)).rejects.toMatchObject(gone);
    await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject(gone);
    await expect(tenant.deleteDocument("k", "d")).rejects.toMatchObject(gone);
    await used.server.start();
    expect(await tenant.loadDocument("k", "d")).toEqual(document);
    expect(await save("d", revision)).toMatchObject({ saved: true });
  });

  it("are found damaged by their checksum, and can be saved over", async () => {
    const { store, sql } = await used.useSchema();
    const tenant = store.forTenant("t");
    const { document } = await tenant.saveDocument({ ...PLACE, body: "before" }, 0);
    await sql("update documents set body = replace(body, 'b', 'B')");
    await expect(tenant.loadDocument("k", "d")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
    await expect(tenant.saveDocument({ ...PLACE, body: 2 }, 0)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
    expect(await tenant.saveDocument({ ...PLACE, body: 2 }, document?.revision ?? 0)).toMatchObject({ saved: true });
    expect(await tenant.loadDocument("k", "d")).toMatchObject({ body: 2 });
  });
});
