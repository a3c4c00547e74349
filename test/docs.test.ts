import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type NatsServer, startNats } from "../packages/stores/test/nats/start-nats.ts";
import { makeDatabase } from "../packages/stores/test/postgres/make-database.ts";
import { type PostgresServer, startServer } from "../packages/stores/test/postgres/start-server.ts";
import { listFiles, ROOT } from "../scripts/repository.mjs";
import { describeWithService } from "./support/describe-with-service.ts";
import { findBrokenLinks } from "./support/documents/find-broken-links.ts";
import { findForeignImports } from "./support/documents/find-foreign-imports.ts";
import { findMissingInstalls } from "./support/documents/find-missing-installs.ts";
import { readBlocks, readSnippets } from "./support/documents/read-blocks.ts";
import { createSnippetFolder, SNIPPET_TIMEOUT_MS } from "./support/documents/snippet-folder.ts";

vi.setConfig({ testTimeout: SNIPPET_TIMEOUT_MS + 10_000 });

const pages = listFiles(ROOT).filter((path) => path.endsWith(".md"));
const checked = pages.filter((path) =>
  /^(README|CONTRIBUTING)\.md$|^docs\/|^docs-site\/|^packages\/[^/]+\/README\.md$|\/SKILL\.md$/.test(path),
);
const snippets = checked.flatMap((page) => readSnippets(readBlocks(page, readFileSync(join(ROOT, page), "utf8"))));
const folder = createSnippetFolder(ROOT, snippets);
beforeAll(() => folder.build(), SNIPPET_TIMEOUT_MS);
afterAll(() => folder.remove());

it("looks at something", () => {
  expect(checked).toContain("README.md");
  expect(snippets.length).toBeGreaterThan(0);
});

const runnable = snippets.filter(({ reasonNotToRun }) => reasonNotToRun === undefined);
const onPostgres = runnable.filter(({ code }) => code.includes("DATABASE_URL") && !code.includes("NATS_URL"));
const onNats = runnable.filter(({ code }) => code.includes("NATS_URL"));
const tutorial = runnable.filter(({ file }) => file.startsWith("docs/tutorial/"));
const alone = runnable.filter((snippet) => ![onPostgres, onNats, tutorial].some((others) => others.includes(snippet)));

describe.concurrent("programs in the documentation", () => {
  it.each(alone)("$file:$line runs and prints what the page says", async (snippet) => {
    expect(await folder.run(snippet)).toBeUndefined();
  });

  it("have sound types", async () => {
    expect(await folder.check()).toBe("");
  });

  // A reader has one folder, whose store remembers every thread, and starts a program again after a change.
  it(
    "of the tutorial print what the pages say in one folder, in their order, and again the second time",
    async () => {
      expect(tutorial.length).toBeGreaterThan(5);
      expect(await folder.follow([...tutorial, ...tutorial])).toEqual([]);
    },
    2 * tutorial.length * SNIPPET_TIMEOUT_MS,
  );
});

describeWithService("postgres", "programs in the documentation that need a server", (postgres) => {
  let database: PostgresServer | undefined;
  const several: string[] = [];
  beforeAll(async () => {
    database = await startServer(postgres);
    while (several.length < 2) several.push(await makeDatabase(database.url));
  });
  afterAll(() => database?.stop());

  it.each(onPostgres)("$file:$line runs and prints what the page says", async (snippet) => {
    const variables = { DATABASE_URL: database?.url ?? "", DATABASE_URLS: several.join(",") };
    expect(await folder.run(snippet, variables)).toBeUndefined();
  });

  describeWithService("nats", "and NATS", (nats) => {
    let buffer: NatsServer | undefined;
    beforeAll(async () => {
      buffer = await startNats(nats);
    });
    afterAll(() => buffer?.stop());

    it.each(onNats)("$file:$line runs and prints what the page says", async (snippet) => {
      const variables = { DATABASE_URL: database?.url ?? "", NATS_URL: buffer?.url ?? "" };
      expect(await folder.run(snippet, variables)).toBeUndefined();
    });
  });
});

describe("imports in the documentation and the examples", () => {
  const examples = listFiles(ROOT, "examples").filter((path) => /\.[mc]?[jt]sx?$/.test(path));

  it.each([...checked, ...examples])("%s imports packages that its reader has installed", (path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    expect(findForeignImports(path, text)).toEqual([]);
  });

  const docs = checked.filter((path) => path.startsWith("docs/"));
  it.each(docs)("%s says how to install the packages that its programs import", (path) => {
    expect(findMissingInstalls(path, readFileSync(join(ROOT, path), "utf8"), snippets)).toEqual([]);
  });
});

// The start page's links are addresses of the site; `npm run docs` checks them.
it.each(pages.filter((page) => page !== "docs-site/index.md"))("%s links to what exists", (page) => {
  expect(findBrokenLinks(ROOT, page)).toEqual([]);
});

it.each(checked.filter((page) => page.startsWith("packages/")))(
  "%s has no relative link, which would break on the registry",
  (page) => {
    const relative = /\]\((?!https?:|mailto:|#)[^)]*\)/g;
    expect(readFileSync(join(ROOT, page), "utf8").match(relative) ?? []).toEqual([]);
  },
);
