import { BLOB_GRACE_MS } from "@reprise/contracts";
import { eventually } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { SHARE_REFS } from "../src/postgres/blob-statements.ts";
import { loadPgDriver } from "../src/postgres/pg-driver.ts";
import { Session } from "../src/postgres/session.ts";
import { composed } from "../src/postgres/statement.ts";
import { useServer } from "./postgres/use-server.ts";

describeWithService("postgres", "issue 14.17: collecting on a real Postgres", (service) => {
  const used = useServer(service);

  it("waits for a reference that is being committed, and keeps its blob", async () => {
    const { store, schema, advance, sql } = await used.useSchema();
    const { ref } = await store.blobs.put("t", new Uint8Array([1, 2, 3]));
    await advance(2 * BLOB_GRACE_MS);
    const Client = await loadPgDriver();
    const client = new Client({ connectionString: used.url });
    client.on("error", () => {});
    await client.connect();
    onTestFinished(() => client.end());
    const session = await Session.begin(client, { schema, statementTimeoutMs: 30_000 });
    // As a commit does it, held open in the middle.
    const add = `insert into blob_refs (thread_key, tenant, ref) select 1, 't', '${ref}' where ${SHARE_REFS} is not null`;
    await session.run([composed("begin", []), composed(add, [])]);
    const collected = store.blobs.collect();
    const waiting = "select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted";
    await eventually(async () => expect((await sql(waiting))[0]).toEqual({ count: 1 }));
    await session.run([composed("commit", [])]);
    expect(await collected).toBe(0);
    expect((await store.blobs.get("t", ref)).info.bytes).toBe(3);
  });
});
