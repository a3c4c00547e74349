import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ALLOWED_IMPORTS } from "./allowed-imports.ts";
import { readManifest, type WorkspacePackage } from "./workspace.ts";

/** What a package folder lacks to be published: all versions move together, and each carries its licence. */
export function findManifestProblems(root: string, { folder, manifest }: WorkspacePackage): string[] {
  const version = readManifest(root, "").version;
  const problems = [
    ["package.json", "README.md", "LICENSE"]
      .filter((file) => !existsSync(join(root, folder, file)))
      .map((file) => `has no ${file}`),
    sameLicence(root, folder) ? [] : ["has another LICENSE than the repository"],
    manifest.name === ALLOWED_IMPORTS[folder]?.name ? [] : [`is called ${manifest.name}`],
    manifest.version === version ? [] : [`has version ${manifest.version}, the repository ${version}`],
    manifest.type === "module" ? [] : ["is not type: module"],
    manifest.license === "Apache-2.0" ? [] : ["is not licensed Apache-2.0"],
    manifest.private ? [] : findExportProblems(root, folder, manifest.exports ?? {}),
    findForeignVersions(manifest.dependencies ?? {}, version),
  ];
  return problems.flat().map((problem) => `${folder} ${problem}`);
}

function sameLicence(root: string, folder: string): boolean {
  const [own, common] = [join(root, folder, "LICENSE"), join(root, "LICENSE")];
  return existsSync(own) && existsSync(common) && readFileSync(own, "utf8") === readFileSync(common, "utf8");
}

function findExportProblems(
  root: string,
  folder: string,
  exported: NonNullable<WorkspacePackage["manifest"]["exports"]>,
) {
  if (!Object.hasOwn(exported, ".")) return ["exports no main module"];
  return Object.entries(exported).flatMap(([subpath, target]) => {
    if (typeof target === "string")
      return subpath === "./package.json" ? [] : [`exports ${subpath} without conditions`];
    const [first] = Object.keys(target);
    // Conditions are tried in order, so ours has to come before the built files.
    if (first !== "reprise-source") return [`exports ${subpath} without reprise-source in front`];
    const source = target["reprise-source"] ?? "";
    const built = source.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, "");
    if (target.types !== `${built}.d.ts` || target.default !== `${built}.js`) {
      return [`exports ${subpath} with types or default that are not built from ${source}`];
    }
    return existsSync(join(root, folder, source)) ? [] : [`exports ${source}, which does not exist`];
  });
}

function findForeignVersions(dependencies: Readonly<Record<string, string>>, version: string | undefined): string[] {
  return Object.entries(dependencies)
    .filter(([name, wanted]) => name.startsWith("@reprise/") && wanted !== version)
    .map(([name, wanted]) => `depends on ${name} ${wanted}, not on ${version}`);
}
