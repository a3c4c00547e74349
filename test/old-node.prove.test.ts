import { execFile, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePackage } from "../scripts/build/bundle-package.mjs";
import { listPublished, ROOT } from "../scripts/repository.mjs";

/** A Node that is too old for Reprise, and new enough for its clone's scripts. */
function findOldNode(): { readonly program: string; readonly version: string } | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"];
  const { REPRISE_OLD_NODE: named } = process.env;
  const programs = named === undefined ? folders.map((path) => join(path, "node")) : [named];
  for (const program of programs) {
    const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
    const version = /^v(2[01]\.\S+)/.exec(stdout ?? "")?.[1];
    if (version !== undefined) return { program, version };
  }
  return undefined;
}

const old = findOldNode();
let folder = "";

/** Everything as npm would install it: our packages built, and those of others as they are here. */
async function installEverything(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "reprise-old-node-"));
  const installed = join(folder, "node_modules");
  mkdirSync(join(installed, "@reprise"), { recursive: true });
  const ours = listPublished(ROOT).map((part) => {
    const { name } = JSON.parse(readFileSync(join(ROOT, part, "package.json"), "utf8"));
    return { part, name };
  });
  const others = readdirSync(join(ROOT, "node_modules")).filter((each) => !ours.some(({ name }) => name === each));
  for (const name of others.filter((each) => each !== "@reprise"))
    symlinkSync(join(ROOT, "node_modules", name), join(installed, name));
  await Promise.all(
    ours.map(async ({ part, name }) => {
      mkdirSync(join(installed, name));
      cpSync(join(ROOT, part, "package.json"), join(installed, name, "package.json"));
      await bundlePackage(ROOT, part, join(installed, name, "dist"));
    }),
  );
}

/** Runs a program of the old Node in the folder. */
async function runOld(...words: readonly string[]): Promise<{ readonly code: number; readonly stderr: string }> {
  try {
    const { stderr } = await promisify(execFile)(old?.program ?? "", words, { cwd: folder });
    return { code: 0, stderr };
  } catch (error) {
    // What `execFile` rejects with when the program ends with another code.
    const { code, stderr } = error as { readonly code: number; readonly stderr: string };
    return { code, stderr };
  }
}

const { exports }: { readonly exports: object } = JSON.parse(
  readFileSync(join(ROOT, "packages/reprise/package.json"), "utf8"),
);
// The laws of stores run in vitest, which says itself which Node it needs.
const entries = Object.keys(exports).filter((entry) => entry !== "./store-kit/laws");

describe("issue 14.26: an old Node is told which one is needed", () => {
  if (old === undefined) {
    it("is left out: no Node 20 or 21 on PATH; install one, or name its program in REPRISE_OLD_NODE", (context) =>
      context.skip());
    return;
  }
  const needed = `Reprise needs Node 22.18 or newer; this is ${old.version}.`;

  beforeAll(installEverything, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(entries)("by the entry %s of the package reprise", async (entry) => {
    writeFileSync(join(folder, "program.mjs"), `import ${JSON.stringify(join("reprise", entry))};\n`);
    const { code, stderr } = await runOld("program.mjs");
    expect(code).toBe(1);
    expect(stderr).toContain(`Error: ${needed}\n`);
    expect(stderr).not.toContain("SyntaxError");
  });

  it("by npm create reprise, in one line, and nothing is written", async () => {
    const { code, stderr } = await runOld("node_modules/create-reprise/dist/main.js", "my-app", "--yes");
    expect([code, stderr]).toEqual([1, `${needed}\n`]);
    expect(existsSync(join(folder, "my-app"))).toBe(false);
  });

  it("by the command line, in one line", async () => {
    const { code, stderr } = await runOld("node_modules/@reprise/cli/dist/main.js", "--help");
    expect([code, stderr]).toEqual([1, `${needed}\n`]);
  });
});
