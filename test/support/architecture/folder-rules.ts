import { posix } from "node:path";
import { readImports } from "./read-imports.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** Per folder of a package: the folders it imports from, each with one file that does. */
type FolderImports = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Folders are layers: every import between two folders of a package that lies on a cycle, type imports included. A file directly
 * under `src` counts as a folder of its own.
 */
export function findFolderCycles(owner: WorkspacePackage): string[] {
  const imports = readFolderImports(owner);
  return [...imports].flatMap(([folder, targets]) =>
    [...targets]
      .filter(([target]) => reachableFrom(imports, target).has(folder))
      .map(([target, file]) => `${file} closes a cycle: ${folder} imports ${target}, which leads back to ${folder}`),
  );
}

function readFolderImports({ folder: root, sources }: WorkspacePackage): FolderImports {
  const imports = new Map<string, Map<string, string>>();
  for (const { path, text } of sources) {
    const from = folderOf(root, path);
    for (const { specifier } of readImports(text)) {
      if (specifier === undefined || !specifier.startsWith(".")) continue;
      const to = folderOf(root, posix.join(posix.dirname(path), specifier));
      const targets = imports.get(from) ?? new Map<string, string>();
      if (to !== from && !targets.has(to)) targets.set(to, path);
      imports.set(from, targets);
    }
  }
  return imports;
}

function folderOf(root: string, path: string): string {
  return posix.relative(`${root}/src`, path).split("/")[0] ?? "";
}

function reachableFrom(imports: FolderImports, start: string): ReadonlySet<string> {
  const reached = new Set([start]);
  // A set visits what is added to it while it is iterated.
  for (const folder of reached) for (const target of imports.get(folder)?.keys() ?? []) reached.add(target);
  return reached;
}
