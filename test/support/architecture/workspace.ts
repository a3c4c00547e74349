import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "../../../scripts/repository.mjs";

/** A file as the rules see it; the path is relative to the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The parts of a package.json that rules look at. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly type?: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A workspace folder. `sources` are what it publishes; tests beside them are left out. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly sources: readonly SourceFile[];
}

/** Reads every folder of packages/ and apps/, also one that lacks a package.json: that is for a rule to say. */
export function readWorkspace(root: string): readonly WorkspacePackage[] {
  return ["packages", "apps"].flatMap((parent) => {
    if (!existsSync(join(root, parent))) return [];
    return readdirSync(join(root, parent))
      .map((name) => `${parent}/${name}`)
      .filter((folder) => listFiles(root, folder).length > 0)
      .sort()
      .map((folder) => ({ folder, manifest: readManifest(root, folder), sources: readSources(root, folder) }));
  });
}

/** Reads a package.json; a missing one is empty. */
export function readManifest(root: string, folder: string): Manifest {
  const file = join(root, folder, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

function readSources(root: string, folder: string): readonly SourceFile[] {
  return listFiles(root, `${folder}/src`)
    .filter((path) => /\.tsx?$/.test(path) && !/\.test(-d)?\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
