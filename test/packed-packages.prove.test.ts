import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { listFiles, ROOT } from "../scripts/repository.mjs";
import { runCaptured } from "../scripts/run-process.mjs";
import { findBrokenLinks } from "./support/documents/find-broken-links.ts";
import { readBlocks, readSnippets } from "./support/documents/read-blocks.ts";
import { installInto, type PackedPackages, packPackages } from "./support/packed-packages.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 900_000 });

/** Pages whose programs a newcomer runs in a folder of their own. */
const FOLLOWED = /^README\.md$|^docs\/tutorial\/|^docs\/how-to\/first-agent\.md$/;
const snippets = listFiles(ROOT)
  .filter((path) => FOLLOWED.test(path))
  .flatMap((page) => readSnippets(readBlocks(page, readFileSync(join(ROOT, page), "utf8"))));
const programs = snippets.filter(({ reasonNotToRun }) => reasonNotToRun === undefined);

const tutorial = [...new Set(programs.map(({ file }) => file))].filter((file) => file.startsWith("docs/tutorial/"));
const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1" };

/** The compilers that users have, under the names by which they are installed here. */
const COMPILERS = { "typescript-5": "npm:typescript@5.9.3", "typescript-7": "npm:typescript@7.0.2" };

let packed: PackedPackages = { folder: "", tarballs: {} };
/** A folder after `npm install reprise`. */
let alone = "";
/** Another one, with the command line and what the tests need. */
let installed = "";

const module = (name: string): string => join(installed, "node_modules", name);

beforeAll(async () => {
  packed = await packPackages();
  alone = join(packed.folder, "alone");
  await installInto(alone, packed, { reprise: "*" });
  installed = join(packed.folder, "installed");
  await installInto(installed, packed, {
    reprise: "*",
    "@reprise/cli": "*",
    zod: "4.6.7",
    "@types/node": "24.19.2",
    ...COMPILERS,
  });
});
afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

describe("issue 14.16: `npm install reprise`", () => {
  it("brings at most 20 MB along, SQLite included", () => {
    expect(bytesIn(join(alone, "node_modules"))).toBeLessThan(20_000_000);
  });

  it("brings no optional driver, tokenizer, test runner or provider's package along", () => {
    const optional = /^(pg|gpt-tokenizer|vitest|fast-check|better-sqlite3|ai|@nats-io\/.*|@ai-sdk\/.*)$/;
    const names = listPackagesIn(join(alone, "node_modules/.store"));
    expect(names).toContain("@reprise/stores");
    expect(names.filter((name) => optional.test(name))).toEqual([]);
  });
});

describe("issue 15.2: the published packages", () => {
  it("have READMEs without a link that needs the repository", async () => {
    // The registry shows a README by itself: it has no address that a relative link could be resolved against.
    const shown = mkdtempSync(join(packed.folder, "readme-"));
    for (const [name, tarball] of Object.entries(packed.tarballs)) {
      const { stdout } = await runCaptured("tar", ["-xzOf", tarball, "package/README.md"]);
      expect(stdout).toContain(`# ${name}`);
      writeFileSync(join(shown, "README.md"), stdout);
      expect([name, findBrokenLinks(shown, "README.md")]).toEqual([name, []]);
    }
  });

  it("hold the whole documentation, and its links lead to pages that are there", () => {
    const pagesBelow = (folder: string) => listFiles(folder, "docs").filter((path) => path.endsWith(".md"));
    const shipped = pagesBelow(module("reprise"));
    expect(shipped).toEqual(expect.arrayContaining(pagesBelow(ROOT)));
    expect(shipped).toContain("docs/examples/01-state.md");
    const start = readFileSync(join(module("reprise"), "llms.txt"), "utf8");
    const listed = [...start.matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, path]) => path);
    expect(listed.length).toBeGreaterThan(50);
    expect(listed.filter((path = "") => !shipped.includes(path))).toEqual([]);
    expect(shipped.flatMap((page) => findBrokenLinks(module("reprise"), page))).toEqual([]);
  });

  it.each(programs)("run the program of $file:$line, and it prints what the page says", async (program) => {
    const folder = mkdtempSync(join(installed, "program-"));
    writeFileSync(join(folder, "program.ts"), program.code);
    const { code, stdout, output } = await runCaptured(process.execPath, ["program.ts"], { cwd: folder, env });
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
    expect(stdout).toBe(program.expectedOutput ?? stdout);
  });

  it("run the tutorial in one empty folder, after the npm install lines of its pages, and again the second time", async () => {
    const folder = join(packed.folder, "tutorial");
    const wanted: Record<string, string> = {};
    const problems: string[] = [];
    for (const page of [...tutorial, ...tutorial]) {
      for (const names of readInstallLines(page)) {
        for (const name of names) wanted[name] = "*";
        await installInto(folder, packed, wanted);
      }
      for (const program of programs.filter(({ file }) => file === page)) {
        writeFileSync(join(folder, "program.ts"), program.code);
        const { code, output, stdout } = await runCaptured(process.execPath, ["program.ts"], { cwd: folder, env });
        if (code !== 0 || stdout !== program.expectedOutput) problems.push(`${page}:${program.line} printed ${output}`);
      }
    }
    expect(problems).toEqual([]);
  }, 900_000);

  it("start the command line", async () => {
    const { code, stdout } = await runCaptured(process.execPath, ["node_modules/@reprise/cli/dist/main.js", "--help"], {
      cwd: installed,
    });
    expect(code).toBe(0);
    expect(stdout).toContain("reprise");
  });

  describe.each(Object.keys(COMPILERS))("with %s", (compiler) => {
    it.each([
      { module: "nodenext", moduleResolution: "nodenext" },
      { module: "esnext", moduleResolution: "bundler" },
    ])("have sound types for strict programs under $moduleResolution resolution", async (resolution) => {
      const folder = mkdtempSync(join(installed, "types-"));
      for (const { file, line, code } of snippets)
        writeFileSync(join(folder, `${file.replaceAll("/", "-")}-${line}.ts`), `${code}\nexport {};\n`);
      writeFileSync(join(folder, "every-entry.ts"), importEveryEntry());
      writeFileSync(join(folder, "exported-values.ts"), readFileSync(join(ROOT, "test/support/exported-values.ts")));
      const compilerOptions = {
        ...resolution,
        strict: true,
        declaration: true,
        outDir: "declared",
        target: "es2024",
        types: ["node"],
        lib: ["es2024", "dom"],
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
      const words = [join(module(compiler), "bin/tsc"), "-p", folder];
      const { code, output } = await runCaptured(process.execPath, words, { cwd: folder });
      expect(output).toBe("");
      expect(code).toBe(0);
    });
  });
});

/** The packages that each `npm install` in a page's shell blocks names. */
function readInstallLines(page: string): readonly (readonly string[])[] {
  return readBlocks(page, readFileSync(join(ROOT, page), "utf8"))
    .filter(({ info }) => info === "sh")
    .flatMap(({ content }) => [...content.matchAll(/^npm install (.+)$/gm)])
    .map(([, words = ""]) => words.split(" "));
}

/** Every subpath but the one that needs a test runner. */
function importEveryEntry(): string {
  const { exports }: { readonly exports: object } = JSON.parse(
    readFileSync(join(module("reprise"), "package.json"), "utf8"),
  );
  const entries = Object.keys(exports).filter((entry) => entry !== "./store-kit/laws");
  return `${entries.map((entry, at) => `export * as entry${at} from ${JSON.stringify(join("reprise", entry))};`).join("\n")}\n`;
}

/** The names of the packages in a store of npm's, whose folders are `hono@4.13.17-<hash>` and `@reprise/state@…`. */
function listPackagesIn(store: string): readonly string[] {
  return readdirSync(store)
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(store, name)).map((part) => `${name}/${part}`) : [name],
    )
    .map((name) => name.replace(/(?<=.)@.*/, ""));
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? bytesIn(join(folder, entry.name)) : statSync(join(folder, entry.name)).size))
    .reduce((sum, bytes) => sum + bytes, 0);
}
