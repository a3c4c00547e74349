import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFiles, listPackages, listPublished, ROOT } from "../../scripts/repository.mjs";
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
  const tarballs = listPublished(clone).map((path) => {
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
  const ours = addressesOf(tarballs);
  const manifest = { private: true, type: "module", dependencies: withOurs(dependencies, ours), overrides: ours };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  await run("install", "npm", ["install", "--install-strategy=linked", ...QUIETLY], folder);
}

/** Installs what a project's own package.json names, as its user would; our own packages come from their tarballs. */
export async function installProject(folder: string, { tarballs }: PackedPackages): Promise<void> {
  const file = join(folder, "package.json");
  const ours = addressesOf(tarballs);
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const dependencies = withOurs(manifest.dependencies, ours);
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies, overrides: ours }));
  await run("install", "npm", ["install", ...QUIETLY], folder);
}

const QUIETLY = ["--no-audit", "--no-fund", "--prefer-offline"];

function addressesOf(tarballs: PackedPackages["tarballs"]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tarballs).map(([name, tarball]) => [name, `file:${tarball}`]));
}

function withOurs(
  dependencies: Readonly<Record<string, string>>,
  ours: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(dependencies).map(([name, version]) => [name, ours[name] ?? version]));
}

/** Other people's packages as they are installed here, and ours from the copy. */
function linkModules(clone: string): void {
  const [there, here] = [join(ROOT, "node_modules"), join(clone, "node_modules")];
  mkdirSync(join(here, "@reprise"), { recursive: true });
  const ours = listPackages(clone).map((path) => {
    const { name } = JSON.parse(readFileSync(join(clone, path, "package.json"), "utf8"));
    return { name, path };
  });
  const others = readdirSync(there).filter((name) => name !== "@reprise" && !ours.some((each) => each.name === name));
  for (const name of others) symlinkSync(join(there, name), join(here, name));
  for (const { name, path } of ours) symlinkSync(join(clone, path), join(here, name));
}

async function run(what: string, program: string, words: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runCaptured(program, words, { cwd });
  if (code !== 0) throw new Error(`${what} ended with exit code ${code}:\n${output}`);
}
