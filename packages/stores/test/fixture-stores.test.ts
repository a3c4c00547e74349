import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type BlobStore, type Store, textOf } from "@reprise/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { assertConsistent } from "../../runtime/test/support/assert-consistent.ts";
import { openFileStore } from "../src/file/open-file-store.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { LARGE_OUTPUT } from "./fixtures/clerk.ts";
import { finishEverything } from "./fixtures/finish.ts";
import { useServer } from "./postgres/use-server.ts";

const FOLDER = join(import.meta.dirname, "fixtures");
const VERSIONS = readdirSync(FOLDER).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

/** How each thread ends: its last words, the tools that were executed on the way, and how its runs ended, oldest first. */
const ENDS: Readonly<
  Record<string, readonly [lastWords: string, executed: readonly string[], codes: readonly string[]]>
> = {
  approved: ['told: {"count":1}', ["add"], ["natural"]],
  denied: ["denied", [], ["natural"]],
  edited: ['told: {"count":1}', ["add"], ["natural"]],
  supplied: ['told: {"count":7}', [], ["natural"]],
  "two-calls": ["told: looked at both", ["add", "add"], ["natural"]],
  decided: ['told: {"count":1}', ["add"], ["natural"]],
  cancelled: ["", [], ["cancelled"]],
  done: ["told: ", [], ["natural", "natural"]],
  fork: ["hello", [], []],
  "unknown-supplied": ["told: it arrived", [], ["natural"]],
  "unknown-approved": ["told: sent to unknown-approved", ["send"], ["natural"]],
  "unknown-denied": ["it never left", [], ["natural"]],
  "lost-read": ["told: looked at once more", ["look"], ["natural"]],
  "lost-letter": ["told: sent to somebody", ["send"], ["natural"]],
  queued: ["heard: second", ["look"], ["natural", "natural", "natural"]],
  steered: ["heard: also this", ["look"], ["natural"]],
  early: ['told: {"count":1}', ["add"], ["natural"]],
};

type OpenFixture = () => Promise<Store & { readonly blobs: BlobStore }>;

function describeFixture(name: string, open: OpenFixture): void {
  describe(name, () => {
    it("is opened by today's code, and every run in it comes to its end", async () => {
      const store = await open();
      const { runtime, tenant, executed } = await finishEverything(store, store.blobs);
      const threads = (await tenant.listThreads({ limit: 200 })).items.map(({ thread_id }) => thread_id);
      expect(threads.toSorted()).toEqual(Object.keys(ENDS).toSorted());
      for (const [thread, [lastWords, tools, codes]] of Object.entries(ENDS)) {
        await assertConsistent(tenant, thread);
        const last = (await tenant.listMessages(thread, { order: "desc", limit: 1 })).messages[0];
        expect([thread, last && textOf(last)]).toEqual([thread, expect.stringContaining(lastWords)]);
        expect([thread, executed.get(thread) ?? []]).toEqual([thread, tools]);
        const runs = (await tenant.listRuns({ thread_id: thread })).items.toReversed();
        expect([thread, runs.map(({ termination_code }) => termination_code)]).toEqual([thread, codes]);
      }
      expect(await runtime.decisions.list()).toEqual([]);
      for (const status of ["queued", "claimed", "dead_letter"] as const) {
        expect((await tenant.listEntries({ status })).total, `${status} entries`).toBe(0);
      }
    });

    it("has its state, its blobs and its past", async () => {
      const store = await open();
      const { runtime, tenant } = await finishEverything(store, store.blobs);
      expect(await runtime.threads.state("edited")).toMatchObject({ notes: ["edited by somebody"] });
      const results = (await tenant.listMessages("done")).messages.filter(({ role }) => role === "tool");
      const [ref] = /blob:[0-9a-f]{64}/.exec(JSON.stringify(results)) ?? [];
      const { content } = await store.blobs.get("default", ref ?? "");
      expect(new TextDecoder().decode(content)).toContain(LARGE_OUTPUT);
      const order = (await tenant.listMessages("queued")).messages
        .map(textOf)
        .filter((text) => text.startsWith("heard"));
      expect(order).toEqual(["heard: urgent", "heard: second"]);
      await expectDocuments(store);
      const versions = await runtime.threads.history("approved");
      expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
    });
  });
}

/** What was left of documents. The one that was deleted had the last revision, two after that of the one that stayed. */
async function expectDocuments(store: Store): Promise<void> {
  const tenant = store.forTenant("default");
  const { items } = await tenant.listDocuments({ kind: "setting" });
  expect(items).toMatchObject([{ id: "first", body: { from: "then" } }]);
  const first = items[0] ?? expect.fail();
  expect(await tenant.saveDocument({ ...first, body: "today" }, first.revision)).toMatchObject({ saved: true });
  const anew = await tenant.saveDocument({ kind: "setting", id: "gone", body: "anew" }, 0);
  expect(anew.document?.revision).toBeGreaterThan(first.revision + 2);
  expect(await store.operator.prune({})).toMatchObject({ documents: 1 });
}

/** A folder that lives as long as the test. */
function usePlace(): string {
  const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "reprise-fixture-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  return place;
}

it("has the stores of a release to look at", () => {
  expect(VERSIONS).toContain("0.1.0");
});

describe.each(VERSIONS)("the fixture store of %s", (version) => {
  const unpack = (name: string): Buffer => gunzipSync(readFileSync(join(FOLDER, version, name)));

  describeFixture("in files", async () => {
    const place = usePlace();
    // Paths and contents, written by `make`.
    const files = Object.entries(JSON.parse(unpack("file.json.gz").toString()) as Readonly<Record<string, string>>);
    for (const [path, content] of files) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), content, "base64");
    }
    const store = await openFileStore({ folder: place });
    onTestFinished(() => store.close());
    return store;
  });

  describeFixture("in SQLite", async () => {
    const file = join(usePlace(), "threads.db");
    writeFileSync(file, unpack("sqlite.db.gz"));
    const store = await openSqliteStore({ file });
    onTestFinished(() => store.close());
    return store;
  });

  describeWithService("postgres", "on a real server", (service) => {
    const used = useServer(service);
    describeFixture("in Postgres", async () => {
      const { schema, sql } = await used.useSchema();
      // In the place of the empty one. No value of the dump has a semicolon at the end of a line.
      const dump = unpack("postgres.sql.gz")
        .toString("utf8")
        .replaceAll(/\bfixture\b/g, schema);
      const statements = dump.split(/;\n/).filter((statement) => /^[A-Z]/m.test(statement));
      await sql(`drop schema ${schema} cascade`, ...statements);
      const store = await openPostgresStore({ url: used.url, schema });
      onTestFinished(() => store.close());
      return store;
    });
  });
});
