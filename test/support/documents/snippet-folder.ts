import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCaptured } from "../../../scripts/run-process.mjs";
import { buildPackages } from "./build-packages.ts";
import type { Snippet } from "./read-blocks.ts";

/**
 * A folder with the documentation's programs as files. It lies inside the repository, because only there
 * `@reprise/state` resolves, and has a name of its own, so that two runs do not disturb each other.
 */
export interface SnippetFolder {
  /** Builds the packages for the programs. Many programs start faster then; few are started from source sooner. */
  build(): Promise<void>;
  /** Runs one program, with more variables if it needs them; answers what went wrong, or nothing. */
  run(snippet: Snippet, variables?: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** Runs programs one after the other in one working folder, as the reader of a tutorial does; answers what went wrong. */
  follow(snippets: readonly Snippet[]): Promise<readonly string[]>;
  /** Checks the types of all programs; answers the compiler's complaints. */
  check(): Promise<string>;
  remove(): void;
}

/** Some open many stores, several run at once, and a busy machine is not wrong. */
export const SNIPPET_TIMEOUT_MS = 120_000;

/** Nothing of the tester's environment, such as keys, reaches a program. */
const { PATH, NODE_COMPILE_CACHE } = process.env;
const OWN_ENVIRONMENT = { PATH, NODE_COMPILE_CACHE, NO_COLOR: "1" };

/** Writes every program so that its lines have the numbers they have in the document: messages then lead there. */
export function createSnippetFolder(root: string, snippets: readonly Snippet[]): SnippetFolder {
  mkdirSync(join(root, ".snippets"), { recursive: true });
  const folder = mkdtempSync(join(root, ".snippets", "run-"));
  // Types come from the sources, also when the programs run with built packages: each has a folder of its own.
  const [programs, types] = [join(folder, "programs"), join(folder, "types")];
  const fileOf = ({ file, line }: Snippet, within = programs): string => join(within, `${file}.${line}.ts`);
  for (const snippet of snippets) {
    for (const file of [fileOf(snippet), fileOf(snippet, types)]) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "\n".repeat(snippet.line - 1) + snippet.code);
    }
  }
  for (const each of [programs, types]) {
    mkdirSync(each, { recursive: true });
    writeFileSync(join(each, "package.json"), JSON.stringify({ type: "module" }));
  }
  writeFileSync(join(types, "tsconfig.json"), JSON.stringify(TYPE_CHECK));
  let conditions: readonly string[] = ["--conditions=reprise-source"];

  /** A working folder in which no program has left anything. */
  const openCwd = (): string => mkdtempSync(join(folder, "cwd-"));

  async function runIn(cwd: string, snippet: Snippet, variables: Readonly<Record<string, string>> = {}) {
    const { code, stdout, output } = await runCaptured(process.execPath, [...conditions, fileOf(snippet)], {
      cwd,
      env: { ...OWN_ENVIRONMENT, ...variables },
      timeoutMs: SNIPPET_TIMEOUT_MS,
    });
    const place = `${snippet.file}:${snippet.line}`;
    if (code !== 0) return `${place} ended with exit code ${code}:\n${output}`;
    const { expectedOutput = stdout } = snippet;
    return stdout === expectedOutput ? undefined : `${place} printed\n${stdout}\nbut the page says\n${expectedOutput}`;
  }

  return {
    async build() {
      await buildPackages(root, programs);
      conditions = [];
    },
    run: (snippet, variables) => runIn(openCwd(), snippet, variables),
    async follow(chapters) {
      const cwd = openCwd();
      const problems: string[] = [];
      for (const chapter of chapters) problems.push((await runIn(cwd, chapter)) ?? "");
      return problems.filter((problem) => problem !== "");
    },
    async check() {
      if (snippets.length === 0) return "";
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      const { code, output } = await runCaptured(process.execPath, [compiler, "-p", types], { cwd: types });
      // `docs/page.md.12.ts(14,7)` becomes `docs/page.md:14:7`.
      return code === 0 ? "" : output.replace(/\.md\.\d+\.ts\((\d+),(\d+)\)/g, ".md:$1:$2");
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const TYPE_CHECK = {
  extends: "../../../tsconfig.check.json",
  compilerOptions: {
    // Every program stands alone, also one without imports.
    moduleDetection: "force",
    // An example may name a value only to show what it is.
    noUnusedLocals: false,
    noUnusedParameters: false,
  },
  include: ["**/*.ts"],
};
