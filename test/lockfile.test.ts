import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listPackages, ROOT } from "../scripts/repository.mjs";

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** What comes inside of the package itself. */
  readonly bundleDependencies?: readonly string[];
}

const readJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));
const lockfile: Lockfile = readJson("package-lock.json");

/**
 * What a lockfile's packages depend on without it having an entry. npm writes such a file without a word when a
 * platform's package is not to be had, and then `npm ci` refuses it in every fresh clone.
 */
function findMissingEntries({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies, bundleDependencies = [] }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !bundleDependencies.includes(name))
      .filter((name) => !foldersAbove(path).some((folder) => Object.hasOwn(packages, `${folder}node_modules/${name}`)))
      .map((name) => `${path} needs ${name}`),
  );
}

/** Where Node looks for what a package imports: its own folder, then each one around it. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/")}/`).concat("");
}

describe("package-lock.json", () => {
  it("has an entry for everything it needs, on every platform", () => {
    expect(Object.keys(lockfile.packages)).toContain("node_modules/vitest");
    expect(findMissingEntries(lockfile)).toEqual([]);
  });

  it("of the documentation site has an entry for everything it needs, on every platform", () => {
    const site: Lockfile = readJson("docs-site/package-lock.json");
    expect(Object.keys(site.packages)).toContain("node_modules/vitepress");
    expect(findMissingEntries(site)).toEqual([]);
  });

  it.each(["", ...listPackages(ROOT)])('agrees with the package.json in the folder "%s"', (folder) => {
    const dependenciesOf = (owner: LockedPackage | undefined) => [
      owner?.dependencies ?? {},
      owner?.devDependencies ?? {},
      owner?.peerDependencies ?? {},
      owner?.optionalDependencies ?? {},
    ];
    const locked = lockfile.packages[folder];
    expect(locked).toBeDefined();
    expect(dependenciesOf(locked)).toEqual(dependenciesOf(readJson(join(folder, "package.json"))));
  });

  it("is refused when an optional package lacks its entry", () => {
    const packages = {
      "": { dependencies: { a: "1.0.0" } },
      "node_modules/a": { dependencies: { inner: "1.0.0" }, optionalDependencies: { "@a/linux": "1.0.0" } },
      "node_modules/a/node_modules/inner": { dependencies: { a: "1.0.0" } },
    };
    expect(findMissingEntries({ packages })).toEqual(["node_modules/a needs @a/linux"]);
  });
});
