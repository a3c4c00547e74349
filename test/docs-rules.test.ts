import { describe, expect, it, onTestFinished } from "vitest";
import { readAnchors } from "../scripts/docs/markdown.mjs";
import { ROOT } from "../scripts/repository.mjs";
import { findBrokenLinks } from "./support/documents/find-broken-links.ts";
import { findForeignImports } from "./support/documents/find-foreign-imports.ts";
import { findMissingInstalls } from "./support/documents/find-missing-installs.ts";
import { readBlocks, readSnippets, type Snippet } from "./support/documents/read-blocks.ts";
import { createSnippetFolder, type SnippetFolder } from "./support/documents/snippet-folder.ts";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

const snippetsOf = (markdown: string): readonly Snippet[] => readSnippets(readBlocks("page.md", markdown));

describe("readSnippets", () => {
  it("takes ts blocks with their line and the output that follows directly", () => {
    const markdown = "# Title\n\n```ts\none();\n```\n\n```text\n1\n```\n\n```ts\ntwo();\n```\nwords\n```text\n2\n```\n";
    expect(snippetsOf(markdown)).toEqual([
      { file: "page.md", line: 4, code: "one();\n", reasonNotToRun: undefined, expectedOutput: "1\n" },
      { file: "page.md", line: 12, code: "two();\n", reasonNotToRun: undefined, expectedOutput: undefined },
    ]);
  });

  it("reads blocks in lists, longer fences and fences of tildes", () => {
    expect(snippetsOf("- item\n\n  ```ts\n  if (a) {\n    b();\n  }\n  ```\n")[0]?.code).toBe("if (a) {\n  b();\n}\n");
    expect(snippetsOf("````ts\nconst fence = `\n```\n`;\n````\n")[0]?.code).toBe("const fence = `\n```\n`;\n");
    expect(snippetsOf("~~~ts\na();\n~~~\n")).toHaveLength(1);
    expect(snippetsOf("````markdown\n```ts\na();\n```\n````\n")).toEqual([]);
  });

  it("lets a block off only with a reason", () => {
    expect(snippetsOf("```ts no-run: needs a server\na();\n```")[0]?.reasonNotToRun).toBe("needs a server");
    expect(() => snippetsOf("```ts no-run:\na();\n```")).toThrow('page.md:1 has "no-run:" where only');
    expect(() => snippetsOf("```ts skip\na();\n```")).toThrow("page.md:1");
  });

  it("joins a continued block to the program above it and keeps the line numbers of the page", () => {
    const markdown =
      "```ts\none();\n```\n\n```text\n1\n```\n\nwords\n\n```ts continued\ntwo();\n```\n\n```text\n2\n```\n";
    const [program, ...others] = snippetsOf(markdown);
    expect(others).toEqual([]);
    expect(program).toMatchObject({ line: 2, expectedOutput: "1\n2\n" });
    expect(program?.code.split("\n").indexOf("two();")).toBe(12 - 2);
    expect(() => snippetsOf("```ts continued\ntwo();\n```")).toThrow("page.md:1 continues a program");
  });

  it("refuses a program nothing would check, and a block without end", () => {
    expect(() => snippetsOf("\n```typescript\na();\n```")).toThrow("page.md:2 is marked typescript");
    expect(() => snippetsOf("```js\na();\n```")).toThrow("mark it ts");
    expect(() => snippetsOf("```jsx\na();\n```")).toThrow("mark it ts or tsx");
    expect(() => snippetsOf("words\n```ts\na();\n")).toThrow("page.md:2 opens a block that is never closed");
  });
});

describe("a snippet folder", () => {
  const snippet = (code: string, expectedOutput?: string): Snippet => {
    return { file: "docs/page.md", line: 12, code, reasonNotToRun: undefined, expectedOutput };
  };

  function open(sample: Snippet): SnippetFolder {
    const folder = createSnippetFolder(ROOT, [sample]);
    onTestFinished(() => folder.remove());
    return folder;
  }

  it("accepts a sound program that prints what the page says", async () => {
    const sample = snippet('const text: string = "one";\nconsole.log(text);\nexport {};\n', "one\n");
    const folder = open(sample);
    expect(await folder.run(sample)).toBeUndefined();
    expect(await folder.check()).toBe("");
  });

  it("names the page and the line of wrong output and of wrong types", async () => {
    const sample = snippet('console.log("two");\nconst one: number = "two";\n', "one\n");
    const folder = open(sample);
    expect(await folder.run(sample)).toBe("docs/page.md:12 printed\ntwo\n\nbut the page says\none\n");
    expect(await folder.check()).toMatch(/docs\/page\.md:13:7: error TS2322/);
  });

  it("names the page and the line of a program that throws", async () => {
    const sample = snippet('\nthrow new Error("broke");\n');
    const problem = await open(sample).run(sample);
    expect(problem).toMatch(/^docs\/page\.md:12 ended with exit code 1:\n.*docs\/page\.md\.12\.ts:13\n/);
  });
});

describe("findMissingInstalls", () => {
  const program = '```ts\nimport {\n  a,\n} from "reprise/state";\nimport { z } from "zod";\nimport "node:fs";\n```\n';
  const find = (text: string) => findMissingInstalls("page.md", text, snippetsOf(text));

  it("names the packages that a page's programs import and the page does not install", () => {
    expect(find(program)).toEqual([
      'page.md imports reprise and does not say "npm install reprise"',
      'page.md imports zod and does not say "npm install zod"',
    ]);
    expect(find(`\`npm install reprise-other zod\`\n\n${program}`)).toHaveLength(1);
  });

  it("accepts an install line with the names, and a link to the page that installs", () => {
    expect(find(`\`\`\`sh\nnpm install reprise zod   # both\n\`\`\`\n\n${program}`)).toEqual([]);
    expect(find(`[Install](../how-to/first-agent.md#1-install)\n\n${program}`)).toEqual([]);
  });
});

describe("findBrokenLinks", () => {
  it("follows links, pictures, definitions and anchors inside the repository only", () => {
    const root = createTemporaryFolder({
      "docs/a.md": "# A *b* `c-d`: e?\n\n# Same\n\n# Same\n",
      "page.md": [
        "[ok](docs/a.md) [ok](docs/a.md#a-b-c-d-e) [ok](docs/a.md#same-1) [ok](#here) <https://x.y/z>",
        '## Here\n`[code](nowhere.md)` [web](https://a.b/c) [mail](mailto:a@b.c) [title](docs/a.md "title")',
        "```md\n[fenced](nowhere.md)\n```",
        "[file](gone.md) [heading](docs/a.md#gone) [![picture](gone.svg)](docs/a.md)",
        '[ref]: gone-too.md\n<img src="gone.png"> [out](../outside.md)',
      ].join("\n"),
    });
    expect(findBrokenLinks(root, "docs/a.md")).toEqual([]);
    expect(findBrokenLinks(root, "page.md")).toEqual([
      "page.md:7 links to what does not exist: gone.md",
      "page.md:7 links to no heading: docs/a.md#gone",
      "page.md:7 links to what does not exist: gone.svg",
      "page.md:8 links to what does not exist: gone-too.md",
      "page.md:9 links to what does not exist: gone.png",
      "page.md:9 links out of the repository: ../outside.md",
    ]);
  });

  it("makes anchors as GitHub does", () => {
    const markdown = '## `state.apply()` & more\n```sh\n# not a heading\n```\n### [Link](x.md) ###\n<a id="own"></a>\n';
    expect([...readAnchors(markdown)]).toEqual(["stateapply--more", "link", "own"]);
  });
});

describe("findForeignImports", () => {
  it("refuses a workspace package that the page does not tell its reader to install", () => {
    const page =
      'import { a } from "reprise/server";\nimport { b } from "@reprise/server/node";\nawait import("@reprise/cli");\n';
    expect(findForeignImports("docs/page.md", page)).toEqual([
      'docs/page.md imports @reprise/server; its readers have "reprise" and its subpaths',
      'docs/page.md imports @reprise/cli; its readers have "reprise" and its subpaths',
    ]);
    expect(findForeignImports("docs/page.md", `npm install reprise @reprise/cli @reprise/server\n${page}`)).toEqual([]);
  });

  it("lets a package's README import that package and no other", () => {
    const page = 'import { a } from "@reprise/state";\nimport { b } from "@reprise/node";\n';
    expect(findForeignImports("packages/state/README.md", page)).toEqual([
      'packages/state/README.md imports @reprise/node; its readers have "reprise" and its subpaths',
    ]);
  });
});
