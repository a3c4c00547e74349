import type { TenantStore } from "@reprise/contracts";
import { expect } from "vitest";
import type { Law } from "../law-suite.ts";
import type { StoreBench } from "../store-bench.ts";
import { saveNow } from "./document-laws.ts";

/** The store's time, which is not the test's. */
async function timeOf(tenant: TenantStore): Promise<number> {
  const { document } = await tenant.saveDocument({ kind: "clock", id: "now", body: null }, 0);
  await tenant.deleteDocument("clock", "now");
  return document?.updated_at ?? expect.fail("The store did not tell the time.");
}

async function ids({ tenant }: StoreBench): Promise<readonly string[]> {
  return (await tenant.listDocuments({ kind: "budget" })).items.map(({ id }) => id);
}

/** Documents whose time is up, by the store's own clock. */
export function documentExpiryLaws(law: Law): void {
  law("has a document until its time is up, and not a moment longer", async (bench) => {
    const { tenant } = bench;
    const now = await timeOf(tenant);
    const revision = await saveNow(tenant, 1, { expires_at: now + 1_000 });
    await saveNow(tenant, 2, { id: "stays" });
    await bench.advance(999);
    expect(await tenant.loadDocument("budget", "b1")).toMatchObject({ revision, expires_at: now + 1_000 });
    expect(await ids(bench)).toEqual(["b1", "stays"]);
    await bench.advance(1);
    expect(await tenant.loadDocument("budget", "b1")).toBeUndefined();
    expect(await ids(bench)).toEqual(["stays"]);
    expect(await tenant.deleteDocument("budget", "b1")).toBe(false);
    expect(await tenant.deleteDocument("budget", "b1", revision)).toBe(false);
    const late = await tenant.saveDocument({ kind: "budget", id: "b1", body: "late" }, revision);
    expect(late).toEqual({ saved: false, document: undefined });
  });

  law("takes the id of a document whose time is up for a new one, under a new revision", async (bench) => {
    const { tenant } = bench;
    const old = await saveNow(tenant, "old", { expires_at: (await timeOf(tenant)) + 1_000 });
    await bench.advance(1_000);
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, body) => tenant.saveDocument({ kind: "budget", id: "b1", body }, 0)),
    );
    const winners = results.filter(({ saved }) => saved);
    expect(winners).toHaveLength(1);
    for (const { document } of results) expect(document).toEqual(winners[0]?.document);
    expect(winners[0]?.document?.revision).toBeGreaterThan(old);
    expect((await tenant.saveDocument({ kind: "budget", id: "b1", body: "late" }, old)).saved).toBe(false);
    await bench.advance(1_000_000);
    expect(await tenant.loadDocument("budget", "b1")).toEqual(winners[0]?.document);
  });

  law("changes when a document's time is up with every save", async (bench) => {
    const { tenant } = bench;
    const now = await timeOf(tenant);
    const first = await saveNow(tenant, 1, { expires_at: now + 1_000 });
    const second = await saveNow(tenant, 2, { expected: first, expires_at: now + 5_000.5 });
    await bench.advance(2_000);
    expect(await tenant.loadDocument("budget", "b1")).toMatchObject({ body: 2, expires_at: now + 5_000.5 });
    await saveNow(tenant, 3, { expected: second });
    await bench.advance(10_000);
    expect(await tenant.loadDocument("budget", "b1")).toMatchObject({ body: 3 });
    expect(await tenant.loadDocument("budget", "b1")).not.toHaveProperty("expires_at");
  });

  law("forgets by every pruning the documents whose time is up, however many, and no others", async (bench) => {
    const { tenant, operator, store } = bench;
    const now = await timeOf(tenant);
    await saveNow(tenant, "stays", { id: "stays" });
    await saveNow(tenant, "later", { id: "later", expires_at: now + 5_000 });
    await saveNow(store.forTenant("two"), "of two", { expires_at: now + 1_000 });
    const many = Array.from({ length: 520 }, (_, index) =>
      saveNow(tenant, index, { id: `d${index}`, expires_at: now + 1_000 }),
    );
    const revisions = await Promise.all(many);
    expect(await operator.prune({})).toEqual({ versions: 0, entries: 0, threads: 0, documents: 0, blobs: 0 });
    await bench.advance(1_000);
    await saveNow(tenant, "anew", { id: "d7" });
    expect(await operator.prune({})).toMatchObject({ documents: 520 });
    expect(await operator.prune({})).toMatchObject({ documents: 0 });
    expect(await ids(bench)).toEqual(["d7", "later", "stays"]);
    expect(await saveNow(tenant, "after", { id: "d8" })).toBeGreaterThan(revisions[8] ?? Number.NaN);
    await bench.advance(4_000);
    expect(await operator.prune({})).toMatchObject({ documents: 1 });
    expect(await ids(bench)).toEqual(["d7", "d8", "stays"]);
  });
}
