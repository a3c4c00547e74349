import type { SavedDocument, TenantStore } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { expect } from "vitest";
import type { Law } from "../law-suite.ts";
import type { StoreBench } from "../store-bench.ts";

const BUDGET = { kind: "budget", id: "b1" };

/** Saves a document and gives back its revision. Throws when it was not saved. */
export async function saveNow(
  tenant: TenantStore,
  body: Json,
  { expected = 0, ...place }: { kind?: string; id?: string; expected?: number; expires_at?: number } = {},
): Promise<number> {
  const { saved, document } = await tenant.saveDocument({ ...BUDGET, ...place, body }, expected);
  if (!saved) throw new Error(`It was not saved: ${JSON.stringify(document)}.`);
  return document.revision;
}

/** How many writers there are at once in a race, over two handles. */
const RIVALS = 50;

async function race(bench: StoreBench, expected: number): Promise<readonly SavedDocument[]> {
  const handles = [bench.store, await bench.otherHandle()].map((store) => store.forTenant("tenant-1"));
  return Promise.all(
    Array.from({ length: RIVALS }, (_, index) =>
      (handles[index % 2] ?? bench.tenant).saveDocument({ ...BUDGET, body: { writer: index } }, expected),
    ),
  );
}

/** Compare-and-set: a writer never overwrites a document that it did not read. */
export function documentLaws(law: Law): void {
  law("gives back a document as it was saved, and nothing of one that was not", async (bench) => {
    const { tenant } = bench;
    expect(await tenant.loadDocument("budget", "b1")).toBeUndefined();
    const first = await tenant.saveDocument({ ...BUDGET, body: { spent: 1 } }, 0);
    expect(first).toMatchObject({ saved: true, document: { ...BUDGET, body: { spent: 1 } } });
    expect(await tenant.loadDocument("budget", "b1")).toEqual(first.document);
    expect(Object.keys(first.document ?? {})).not.toContain("expires_at");
    await bench.advance(1_000);
    const second = await tenant.saveDocument({ ...BUDGET, body: [2] }, first.document?.revision ?? -1);
    expect(second).toMatchObject({ saved: true, document: { body: [2] } });
    expect((second.document?.updated_at ?? 0) - (first.document?.updated_at ?? 0)).toBe(1_000);
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    expect(await other.loadDocument("budget", "b1")).toEqual(second.document);
  });

  law("saves only over the revision that was expected, and answers with what is there", async ({ tenant }) => {
    const first = await saveNow(tenant, 1);
    const second = await saveNow(tenant, 2, { expected: first });
    expect(second).toBeGreaterThan(first);
    for (const expected of [0, first, second + 1, Number.MAX_SAFE_INTEGER]) {
      const late = await tenant.saveDocument({ ...BUDGET, body: "late" }, expected);
      expect(late).toMatchObject({ saved: false, document: { revision: second, body: 2 } });
    }
    const missing = await tenant.saveDocument({ ...BUDGET, id: "missing", body: 1 }, second);
    expect(missing).toEqual({ saved: false, document: undefined });
    expect((await tenant.listDocuments({ kind: "budget" })).items).toHaveLength(1);
  });

  law("lets one of fifty writers save a new document, and gives it to the others", async (bench) => {
    const results = await race(bench, 0);
    const winners = results.filter(({ saved }) => saved);
    expect(winners).toHaveLength(1);
    for (const { document } of results) expect(document).toEqual(winners[0]?.document);
    expect(await bench.tenant.loadDocument("budget", "b1")).toEqual(winners[0]?.document);
  });

  law("lets one of fifty writers save over a document, and gives it to the others", async (bench) => {
    const revision = await saveNow(bench.tenant, { writer: "none" });
    const results = await race(bench, revision);
    const winners = results.filter(({ saved }) => saved);
    expect(winners).toHaveLength(1);
    for (const { document } of results) expect(document).toEqual(winners[0]?.document);
  });

  law("counts right when many count at once", async (bench) => {
    const handles = [bench.store, await bench.otherHandle()].map((store) => store.forTenant("tenant-1"));
    const add = async (tenant: TenantStore): Promise<void> => {
      for (let found = await tenant.loadDocument("budget", "b1"); ; ) {
        const { saved, document } = await tenant.saveDocument(
          { ...BUDGET, body: Number(found?.body ?? 0) + 1 },
          found?.revision ?? 0,
        );
        if (saved) return;
        found = document;
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, index) => add(handles[index % 2] ?? bench.tenant)));
    expect(await bench.tenant.loadDocument("budget", "b1")).toMatchObject({ body: 12 });
  });

  law("deletes what is there, at the revision that was expected", async ({ tenant }) => {
    const first = await saveNow(tenant, 1);
    const second = await saveNow(tenant, 2, { expected: first });
    expect(await tenant.deleteDocument("budget", "b1", first)).toBe(false);
    expect(await tenant.deleteDocument("budget", "b1", 0)).toBe(false);
    expect(await tenant.deleteDocument("budget", "other")).toBe(false);
    expect(await tenant.loadDocument("budget", "b1")).toMatchObject({ body: 2 });
    expect(await tenant.deleteDocument("budget", "b1", second)).toBe(true);
    expect(await tenant.loadDocument("budget", "b1")).toBeUndefined();
    expect(await tenant.deleteDocument("budget", "b1")).toBe(false);
    await saveNow(tenant, 3);
    expect(await tenant.deleteDocument("budget", "b1")).toBe(true);
  });

  law("never uses a revision again, so that a late writer misses the document made anew", async (bench) => {
    const { tenant } = bench;
    const seen: number[] = [];
    for (let life = 0; life < 5; life += 1) {
      const made = await saveNow(tenant, life);
      const changed = await saveNow(tenant, life, { expected: made });
      expect(made).toBeGreaterThan(seen.at(-1) ?? 0);
      seen.push(made, changed);
      expect(await tenant.deleteDocument("budget", "b1")).toBe(true);
    }
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    const last = await saveNow(other, "last");
    for (const expected of seen) {
      expect((await tenant.saveDocument({ ...BUDGET, body: "late" }, expected)).saved).toBe(false);
      expect(await tenant.deleteDocument("budget", "b1", expected)).toBe(false);
    }
    expect(await tenant.loadDocument("budget", "b1")).toMatchObject({ revision: last, body: "last" });
  });

  law("keeps documents of kinds and of tenants apart", async ({ store }) => {
    const [one, two] = [store.forTenant("one"), store.forTenant("two")];
    const revision = await saveNow(one, "of one");
    await saveNow(one, "of another kind", { kind: "key" });
    expect(await two.loadDocument("budget", "b1")).toBeUndefined();
    expect(await two.saveDocument({ ...BUDGET, body: 1 }, revision)).toEqual({ saved: false, document: undefined });
    expect(await two.deleteDocument("budget", "b1")).toBe(false);
    expect((await two.listDocuments({ kind: "budget" })).items).toEqual([]);
    await saveNow(two, "of two");
    expect(await two.deleteDocument("budget", "b1")).toBe(true);
    expect(await one.loadDocument("budget", "b1")).toMatchObject({ body: "of one" });
    expect(await one.loadDocument("key", "b1")).toMatchObject({ body: "of another kind" });
  });
}
