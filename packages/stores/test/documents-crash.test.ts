import type { Store } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../src/file/open-file-store.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { makePlace } from "./file/temporary-file-store.ts";
import { runChild } from "./support/run-child.ts";
import { makeStoreFolder } from "./support/temporary-store.ts";

interface Acknowledged {
  readonly count: number;
  readonly revision: number;
}

/** Lets a child save, kills it after so many acknowledgements, and returns the last one of each document. */
async function killAfter(kind: string, place: string, limit: number): Promise<ReadonlyMap<string, Acknowledged>> {
  const child = runChild("save-for-ever.ts", kind, place);
  const acknowledged = new Map<string, Acknowledged>();
  let lines = 0;
  for await (const line of child.lines) {
    const [id = "", count, revision] = line.split(" ");
    acknowledged.set(id, { count: Number(count), revision: Number(revision) });
    lines += 1;
    if (lines === limit) child.process.kill("SIGKILL");
  }
  await child.exited;
  return acknowledged;
}

/** What was acknowledged is there, or what was being written over it, whole; and no revision comes again. */
async function expectWhole(store: Store, acknowledged: ReadonlyMap<string, Acknowledged>): Promise<void> {
  const tenant = store.forTenant("default");
  for (const [id, { count, revision }] of acknowledged) {
    const document = await tenant.loadDocument("count", id);
    const [is, was] = [document?.revision ?? 0, revision];
    expect(document?.body).toEqual({ count: is === was ? count : count + 1, filling: "x".repeat(20_000) });
    expect(is).toBeGreaterThanOrEqual(was);
    await tenant.deleteDocument("count", id);
    const anew = await tenant.saveDocument({ kind: "count", id, body: 0 }, 0);
    expect(anew.document?.revision).toBeGreaterThan(is);
    await tenant.deleteDocument("count", id);
  }
}

const PLACES = {
  file: () => {
    const { folder, remove } = makePlace();
    return { place: folder, remove, open: () => openFileStore({ folder }) };
  },
  sqlite: () => {
    const { file, remove } = makeStoreFolder();
    return { place: file, remove, open: () => openSqliteStore({ file }) };
  },
};

it.each(["file", "sqlite"] as const)(
  "has every document whole when a process with a %s store is killed",
  async (kind) => {
    const { place, remove, open } = PLACES[kind]();
    onTestFinished(remove);
    const limits = fc.sample(fc.integer({ min: 4, max: 200 }), {
      numRuns: 3,
      seed: fc.readConfigureGlobal().seed ?? 0,
    });
    for (const limit of limits) {
      const acknowledged = await killAfter(kind, place, limit);
      expect(acknowledged.size).toBeGreaterThan(0);
      const store: Store = await open();
      await expectWhole(store, acknowledged);
      await store.close();
    }
  },
);
