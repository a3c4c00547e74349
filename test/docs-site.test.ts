import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyDocs } from "../scripts/build/copy-docs.mjs";
import { collectPages } from "../scripts/docs/collect-pages.mjs";
import { composeLlms, composeLlmsFull } from "../scripts/docs/compose-llms.mjs";
import { findDeadLinks } from "../scripts/docs/find-dead-links.mjs";
import { describePage } from "../scripts/docs/markdown.mjs";
import { readContents } from "../scripts/docs/read-contents.mjs";
import { listFiles, ROOT } from "../scripts/repository.mjs";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

const CONTENTS = `# Documentation

## Start

- [First](tutorial/01-first.md), [Begin](how-to/begin.md)

## Stores

| you want to | page |
|---|---|
| keep | [A store](how-to/store.md), [Another](how-to/other.md) |

## Tools

[a](how-to/a.md) · [b](how-to/b.md) · again [Begin](how-to/begin.md)

## Understand

[All](adr/README.md)
`;

const SMALL = {
  "docs/README.md": CONTENTS,
  "docs/how-to/begin.md": "# Begin\n",
  "docs/how-to/other.md": "# Other\n",
  "docs/how-to/a.md": "# A\n",
  "docs/how-to/b.md": "# B\n",
  "docs/tutorial/01-first.md": "# 1. First\n\nIt *runs* `now`. See [the store](../how-to/store.md#open-it).\n",
  "docs/how-to/store.md":
    "# Store\n\n<!-- made by a test -->\n\n```sh\n[no](link.md)\n```\n\nKeeps [things](../../packages/a/README.md).\n\n## Open it\n",
  "docs/adr/README.md": "# Decisions\n\n- [0001 One](0001-one.md)\n",
  "docs/adr/0001-one.md": "# 0001 One\n\nBecause of ![a picture](one.svg).\n",
  "docs/adr/one.svg": "<svg/>",
  "packages/a/README.md": "# a\n\nSee [its source](src/a.ts), [src](src) and [the examples](../../examples).\n",
  "packages/a/src/a.ts": "export const a = 1;\n",
  "examples/01-go-on/main.ts": "// Goes on.\nconsole.log(1);\n",
  "examples/01-go-on/expected-output.txt": "1\n",
};

describe("the pages of the documentation", () => {
  it("are those of docs, the examples, and every Markdown file one of them links to, with links between them", () => {
    const { pages, pictures } = collectPages(createTemporaryFolder(SMALL));
    const textOf = (path: string) => pages.find((page) => page.path === path)?.markdown;
    expect(pages.map(({ path }) => path).sort()).toEqual([
      "README.md",
      "adr/0001-one.md",
      "adr/README.md",
      "examples/01-go-on.md",
      "examples/README.md",
      "how-to/a.md",
      "how-to/b.md",
      "how-to/begin.md",
      "how-to/other.md",
      "how-to/store.md",
      "repository/packages/a/README.md",
      "tutorial/01-first.md",
    ]);
    expect(pictures).toEqual(["docs/adr/one.svg"]);
    expect(textOf("tutorial/01-first.md")).toContain("[the store](../how-to/store.md#open-it)");
    expect(textOf("how-to/store.md")).toContain(
      "[no](link.md)\n```\n\nKeeps [things](../repository/packages/a/README.md)",
    );
    expect(textOf("adr/README.md")).toContain("(./0001-one.md)");
    expect(textOf("repository/packages/a/README.md")).toContain(
      "See its source (`src/a.ts`), src and [the examples](../../../examples/README.md)",
    );
    expect(textOf("examples/01-go-on.md")).toContain("# Go on\n\nGoes on.\n");
  });

  it("may not link to a file that is missing", () => {
    const root = createTemporaryFolder({ ...SMALL, "docs/adr/0001-one.md": "# One\n\n[gone](gone.md)\n" });
    expect(() => collectPages(root)).toThrow("docs/adr/0001-one.md links to a file that does not exist: gone.md");
  });

  it("that ship inside the package are docs and examples; links to other files are text, and llms.txt leads to them", () => {
    const root = createTemporaryFolder(SMALL);
    copyDocs(root, join(root, "shipped"));
    expect(listFiles(root, "shipped").filter((file) => !file.includes("/how-to/"))).toEqual([
      "shipped/docs/README.md",
      "shipped/docs/adr/0001-one.md",
      "shipped/docs/adr/README.md",
      "shipped/docs/adr/one.svg",
      "shipped/docs/examples/01-go-on.md",
      "shipped/docs/examples/README.md",
      "shipped/docs/tutorial/01-first.md",
      "shipped/llms.txt",
    ]);
    expect(readFileSync(join(root, "shipped/docs/how-to/store.md"), "utf8")).toContain(
      "Keeps things (`packages/a/README.md`).",
    );
    expect(readFileSync(join(root, "shipped/llms.txt"), "utf8")).toContain("(docs/tutorial/01-first.md): It runs now.");
  });

  it("are described by their title and the beginning of their first paragraph", () => {
    expect(
      describePage("# `a` *b*\n\n<!-- x -->\n\n```ts\n# no\n```\n\nOne [two](x.md). Three: 4.\n\nFive.\n"),
    ).toEqual({
      title: "a b",
      description: "One two. Three: 4.",
    });
  });
});

it("the table of contents has a section for each folder, in the order and the groups of docs/README.md", () => {
  const root = createTemporaryFolder(SMALL);
  const sections = readContents(root).filter(({ groups }) => groups.length > 0);
  expect(sections.map(({ title, groups }) => [title, groups])).toEqual([
    ["Tutorial", [{ title: undefined, entries: [{ title: "First", path: "tutorial/01-first.md" }] }]],
    [
      "How-to",
      [
        { title: undefined, entries: [{ title: "Begin", path: "how-to/begin.md" }] },
        {
          title: "Stores",
          entries: [
            { title: "A store", path: "how-to/store.md" },
            { title: "Another", path: "how-to/other.md" },
          ],
        },
        {
          title: "Tools",
          entries: [
            { title: "a", path: "how-to/a.md" },
            { title: "b", path: "how-to/b.md" },
          ],
        },
      ],
    ],
    [
      "Decisions",
      [
        {
          title: undefined,
          entries: [
            { title: "All", path: "adr/README.md" },
            { title: "0001 One", path: "adr/0001-one.md" },
          ],
        },
      ],
    ],
  ]);
});

it("llms.txt lists the pages of the table of contents and llms-full.txt holds them", () => {
  const root = createTemporaryFolder(SMALL);
  const { pages } = collectPages(root);
  const short = composeLlms(readContents(root), pages, "docs/");
  expect(short).toContain("## Tutorial\n\n- [1. First](docs/tutorial/01-first.md): It runs now. See the store.\n");
  const full = composeLlmsFull(readContents(root), pages);
  expect(full).toContain('<page path="how-to/store.md">\n\n# Store\n');
  expect(full.indexOf("# 1. First")).toBeLessThan(full.indexOf("# Store"));
});

it("a built site with a link to a missing page or heading is refused", () => {
  const site = createTemporaryFolder({
    "index.html":
      '<a href="/a/"></a> <a href="b.html#x">b</a> <a href="https://example.com/none">web</a> <img src="logo.svg">',
    "a/index.html": '<h2 id="top"></h2> <a href="../b#y"></a> <a href="#gone"></a> <a href="/c.html"></a>',
    "b.html": '<p id="x"></p>',
    "logo.svg": "<svg/>",
  });
  expect(findDeadLinks(site)).toEqual([
    "a/index.html links to a heading that does not exist: ../b#y",
    "a/index.html links to a heading that does not exist: #gone",
    "a/index.html links to a page that does not exist: /c.html",
  ]);
});

it("docs/README.md lists every page of docs and every example", () => {
  const listed = readContents(ROOT).flatMap(({ groups }) => groups.flatMap(({ entries }) => entries));
  const expected = collectPages(ROOT).pages.filter(({ source }) => /^docs\/.+\/|^examples\/.+\/main\.ts$/.test(source));
  const paths = listed.map(({ path }) => path);
  expect(expected.map(({ path }) => path).filter((path) => !paths.includes(path))).toEqual([]);
});

it("every page of docs has a title and a first paragraph, which search results and llms.txt show", () => {
  const pages = collectPages(ROOT).pages.filter(({ source }) => source.startsWith("docs/"));
  expect(
    pages.filter(({ title, description }) => title === "" || description.length < 20).map(({ source }) => source),
  ).toEqual([]);
});

it("the start page names the install line and links to the tutorial", () => {
  const start = readFileSync(join(ROOT, "docs-site/index.md"), "utf8");
  expect(start).toContain("npm install reprise");
  expect(start).toContain("/tutorial/01-first-agent");
});
