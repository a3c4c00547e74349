import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFiles, listPackages, ROOT } from "../../scripts/repository.mjs";
import { runCaptured } from "../../scripts/run-process.mjs";

/** The packages as npm would publish them. */
export interface PackedPackages {
  /** Where everything happens; to be removed by the test. */
  readonly folder: string;
  /** The tarball of each package, by its name. */
  readonly tarballs: Readonly<Record<string, string>>;
}

/** Builds and packs every package in a copy of the repository, so that the tests beside this one keep the build they have. */
export async function packPackages(): Promise<PackedPackages> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-packed-"));
  const clone = join(folder, "clone");
  for (const file of listFiles(ROOT)) cpSync(join(ROOT, file), join(clone, file));
  linkModules(clone);
  await run("build", process.execPath, ["scripts/build.mjs"], clone);
  const packed = join(folder, "packed");
  mkdirSync(packed);
  await run("pack", "npm", ["pack", "--workspaces", "--pack-destination", packed], clone);
  const tarballs = listPackages(clone).map((path) => {
    const { name, version } = JSON.parse(readFileSync(join(clone, path, "package.json"), "utf8"));
    return [name, join(packed, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)];
  });
  return { folder, tarballs: Object.fromEntries(tarballs) };
}

/**
 * Installs packages into a folder as pnpm would: a program finds what its package.json names, and nothing that this brings along.
 * Our own packages come from their tarballs, whichever package needs them.
 */
export async function installInto(
  folder: string,
  { tarballs }: PackedPackages,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const ours = Object.fromEntries(Object.entries(tarballs).map(([name, tarball]) => [name, `file:${tarball}`]));
  const wanted = Object.entries(dependencies).map(([name, version]) => [name, ours[name] ?? version]);
  const manifest = { private: true, type: "module", dependencies: Object.fromEntries(wanted), overrides: ours };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const words = ["install", "--install-strategy=linked", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("install", "npm", words, folder);
}

/** Other people's packages as they are installed here, and ours from the copy. */
function linkModules(clone: string): void {
  const [there, here] = [join(ROOT, "node_modules"), join(clone, "node_modules")];
  mkdirSync(join(here, "@reprise"), { recursive: true });
  for (const name of readdirSync(there).filter((each) => each !== "@reprise" && each !== "reprise"))
    symlinkSync(join(there, name), join(here, name));
  for (const path of listPackages(clone)) {
    const { name } = JSON.parse(readFileSync(join(clone, path, "package.json"), "utf8"));
    symlinkSync(join(clone, path), join(here, name));
  }
}

async function run(what: string, program: string, words: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runCaptured(program, words, { cwd });
  if (code !== 0) throw new Error(`${what} ended with exit code ${code}:\n${output}`);
}
