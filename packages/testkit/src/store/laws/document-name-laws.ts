import { MAX_DOCUMENT_BYTES, type StoredDocument, type TenantStore } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { expect } from "vitest";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { saveNow } from "./document-laws.ts";

const BAD_IDS = ["", ".", "..", "a/b", "a\\b", "nul\u0000", "line\n", "half\ud83d", "__proto__", "x".repeat(257)];

/** In order: by character, which is not the order of JavaScript for the last two. */
const IDS = [
  "%2e%2e",
  "'; drop table documents; --",
  "A",
  "B",
  "a",
  "a b",
  "ab",
  "e\u0301",
  "x".repeat(256),
  "\u00e9",
  "\uff5e",
  "🦊",
];

/** All documents of a kind, page by page. */
async function readPages(tenant: TenantStore, kind: string, limit: number): Promise<readonly StoredDocument[][]> {
  const pages: StoredDocument[][] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await tenant.listDocuments({ kind, limit, ...(after === undefined ? {} : { after }) });
    pages.push([...items]);
    if (next === undefined) return pages;
    expect(next).toBe(items.at(-1)?.id);
    after = next;
  }
}

/** Ids, lists and bodies. */
export function documentNameLaws(law: Law): void {
  law("refuses names that are no ids, in every method", async ({ tenant }) => {
    for (const id of BAD_IDS) {
      for (const [kind, name] of [
        [id, "ok"],
        ["ok", id],
      ] as const) {
        await expectRefusal(tenant.saveDocument({ kind, id: name, body: 1 }, 0), "INVALID_ID");
        await expectRefusal(tenant.loadDocument(kind, name), "INVALID_ID");
        await expectRefusal(tenant.deleteDocument(kind, name), "INVALID_ID");
      }
      await expectRefusal(tenant.listDocuments({ kind: id }), "INVALID_ID");
      await expectRefusal(tenant.listDocuments({ kind: "ok", after: id }), "INVALID_ID");
    }
    expect(await tenant.listDocuments({ kind: "ok" })).toEqual({ items: [] });
  });

  law("lists a kind by id, page by page, whatever the ids", async ({ tenant }) => {
    for (const id of IDS.toReversed()) await saveNow(tenant, id, { kind: "odd 🦊", id });
    await saveNow(tenant, "of another kind", { kind: "odd", id: "m" });
    for (const limit of [1, 5, IDS.length, 200]) {
      const pages = await readPages(tenant, "odd 🦊", limit);
      expect(pages.map((page) => page.length)).toEqual([
        ...Array.from({ length: Math.ceil(IDS.length / limit) - 1 }, () => limit),
        IDS.length % limit || limit,
      ]);
      expect(pages.flat().map(({ id }) => id)).toEqual(IDS);
      expect(pages.flat().map(({ body }) => body)).toEqual(IDS);
    }
    const rest = await tenant.listDocuments({ kind: "odd 🦊", after: "aa" });
    expect(rest.items.map(({ id }) => id)).toEqual(IDS.slice(IDS.indexOf("ab")));
    expect(await tenant.loadDocument("odd 🦊", "a")).toMatchObject({ id: "a", body: "a" });
  });

  law("cuts lists of documents as all lists", async ({ tenant }) => {
    const ids = Array.from({ length: 60 }, (_, index) => `d${100 + index}`);
    await Promise.all(ids.map((id) => saveNow(tenant, id, { id })));
    const list = async (limit?: number) => {
      const { items, next } = await tenant.listDocuments({ kind: "budget", ...(limit === undefined ? {} : { limit }) });
      return [items.length, next];
    };
    expect(await list()).toEqual([50, "d149"]);
    expect(await list(0)).toEqual([1, "d100"]);
    expect(await list(Number.NaN)).toEqual([50, "d149"]);
    expect(await list(1_000)).toEqual([60, undefined]);
    expect(await list(60)).toEqual([60, undefined]);
  });

  law("takes a body up to its limit, and names size and limit of one that is longer", async ({ tenant }) => {
    const longest = "é".repeat((MAX_DOCUMENT_BYTES - 2) / 2);
    const revision = await saveNow(tenant, longest);
    expect((await tenant.loadDocument("budget", "b1"))?.body).toBe(longest);
    const refused = await expectRefusal(
      tenant.saveDocument({ kind: "budget", id: "b1", body: `${longest}.` }, revision),
      "INVALID_REQUEST",
    );
    expect(refused.details).toEqual({ bytes: MAX_DOCUMENT_BYTES + 1, limit: MAX_DOCUMENT_BYTES });
    expect(refused.message).toContain(String(MAX_DOCUMENT_BYTES + 1));
    expect((await tenant.loadDocument("budget", "b1"))?.revision).toBe(revision);
  });

  law("refuses what is no JSON, no time and no revision, and stores nothing", async ({ tenant }) => {
    let deep: Json = 1;
    for (let depth = 0; depth < 65; depth += 1) deep = [deep];
    // What a caller without types may give.
    const bodies = [undefined, Number.NaN, () => 1, { when: new Date() }, [undefined], 1n, deep] as readonly Json[];
    const place = { kind: "budget", id: "b1" };
    for (const body of bodies) await expectRefusal(tenant.saveDocument({ ...place, body }, 0), "INVALID_REQUEST");
    for (const expires_at of [Number.NaN, Number.POSITIVE_INFINITY]) {
      await expectRefusal(tenant.saveDocument({ ...place, body: 1, expires_at }, 0), "INVALID_REQUEST");
    }
    for (const expected of [-1, 0.5, Number.NaN, 2 ** 60]) {
      await expectRefusal(tenant.saveDocument({ ...place, body: 1 }, expected), "INVALID_REQUEST");
      await expectRefusal(tenant.deleteDocument("budget", "b1", expected), "INVALID_REQUEST");
    }
    expect(await tenant.listDocuments({ kind: "budget" })).toEqual({ items: [] });
  });

  law("keeps bodies of any kind of JSON, and is not changed by what callers do to theirs", async ({ tenant }) => {
    const odd: Json = JSON.parse('{"__proto__":{"a":1},"constructor":0,"":[],"\\u0000":"\\u0000"}');
    for (const [index, body] of [null, false, 0, "", "half \ud83d", [], {}, odd, [[[1]]]].entries()) {
      await saveNow(tenant, body, { id: `d${index}` });
      const found = await tenant.loadDocument("budget", `d${index}`);
      expect(JSON.stringify(found?.body)).toBe(JSON.stringify(body));
    }
    const given = { list: ["one"] };
    await saveNow(tenant, given, { id: "mine" });
    given.list.push("two");
    // It is what was given, as the next line checks.
    const got = (await tenant.loadDocument("budget", "mine"))?.body as typeof given;
    expect(got).toEqual({ list: ["one"] });
    got.list.push("three");
    expect((await tenant.loadDocument("budget", "mine"))?.body).toEqual({ list: ["one"] });
  });
}
