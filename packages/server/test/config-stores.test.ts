import { join } from "node:path";
import type { BlobStore, Store } from "@reprise/contracts";
import { openPostgresStore } from "@reprise/stores/postgres";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type PostgresServer, startServer } from "../../stores/test/postgres/start-server.ts";
import { BASE, type OpenLive, openLive } from "./support/open-live.ts";
import { until } from "./support/until.ts";

type Handle = Store & { readonly blobs: BlobStore };

/** What must hold of two that have a store each, on one database. */
function describeSharing(open: () => Promise<() => Promise<Handle>>): void {
  async function openTwo(): Promise<readonly [OpenLive, OpenLive]> {
    const openHandle = await open();
    const openOne = async (): Promise<OpenLive> => {
      const store = await openHandle();
      onTestFinished(() => store.close());
      return openLive(BASE, { store, blobs: store.blobs, pollMs: 20 });
    };
    return [await openOne(), await openOne()];
  }

  it("shares changes, lets one of two at the same time win, and keeps them", async () => {
    const [here, there] = await openTwo();
    const body = (name: string) => ({ model: "fast", system_prompt: name });
    const raced = await Promise.allSettled([
      here.live.put("agents", "assistant", body("Here."), { ifRevision: 0 }),
      there.live.put("agents", "assistant", body("There."), { ifRevision: 0 }),
    ]);
    const refused = raced.find(({ status }) => status === "rejected");
    expect(raced.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const stored = await here.live.get("agents", "assistant");
    expect(refused).toMatchObject({
      reason: { code: "REVISION_CONFLICT", details: { revision: stored.revision } },
    });
    expect(await there.live.get("agents", "assistant")).toEqual(stored);

    // Without anybody asking.
    await here.live.put("agents", "writer", body("Written here."));
    const knows = () => there.runtime.agents().some(({ id }) => id === "writer");
    await until(knows, "the other one");
    await there.live.delete("agents", "assistant");
    await until(() => here.runtime.agents().length === 2 && here.problems.length === 0, "the file's agent");
    expect(await here.live.get("agents", "assistant")).toMatchObject({ source: "file" });
    expect([here.problems, there.problems]).toEqual([[], []]);
  });
}

describe("on SQLite", () => {
  describeSharing(async () => {
    const file = join(createTemporaryFolder(), "config.db");
    return () => openSqliteStore({ file });
  });
});

describeWithService("postgres", "on Postgres", (postgres) => {
  let database: PostgresServer | undefined;
  beforeAll(async () => {
    database = await startServer(postgres);
  });
  afterAll(() => database?.stop());
  describeSharing(async () => () => openPostgresStore({ url: database?.url ?? "" }));
});
