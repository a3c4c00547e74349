import { builtinModules } from "node:module";
import { posix } from "node:path";
import { ALLOWED_IMPORTS } from "./allowed-imports.ts";
import { type ModuleImport, readImports } from "./read-imports.ts";
import type { SourceFile, WorkspacePackage } from "./workspace.ts";

/** Everything wrong with the imports of one package; the others are needed for what they export. */
export function findImportProblems(owner: WorkspacePackage, workspace: readonly WorkspacePackage[]): string[] {
  const rule = ALLOWED_IMPORTS[owner.folder];
  if (rule === undefined) return [`${owner.folder} is not in the table of allowed imports`];
  const problems = owner.sources.flatMap((file) =>
    readImports(file.text).flatMap((imported) => {
      const problem = importProblem(owner, workspace, file, imported);
      return problem === undefined ? [] : [`${file.path}:${imported.line} ${problem}`];
    }),
  );
  return [...problems, ...findUnusedDependencies(owner)];
}

function importProblem(
  owner: WorkspacePackage,
  workspace: readonly WorkspacePackage[],
  file: SourceFile,
  { specifier, typeOnly }: ModuleImport,
): string | undefined {
  if (specifier === undefined || isBuiltin(specifier)) return undefined;
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(file.path), specifier);
    return target.startsWith(`${owner.folder}/src/`) ? undefined : `leaves its package: ${specifier}`;
  }
  const name = packageNameOf(specifier);
  if (!isWorkspaceName(name)) {
    // What a package needs only to be built becomes part of its code by the build; its types do not.
    const isBuiltIn = !typeOnly && Object.hasOwn(owner.manifest.devDependencies ?? {}, name);
    return isBuiltIn || isDeclared(owner, name) ? undefined : `imports undeclared ${name}`;
  }

  const rule = ALLOWED_IMPORTS[owner.folder];
  const allowed = (rule?.mayImport ?? []).map((folder) => ALLOWED_IMPORTS[`packages/${folder}`]?.name);
  if (!allowed.includes(name)) return `may not import ${name}`;
  const typesOnly = (rule?.onlyTypes === true ? rule.mayImport : (rule?.onlyTypes ?? [])).map(
    (folder) => ALLOWED_IMPORTS[`packages/${folder}`]?.name,
  );
  if (typesOnly.includes(name) && !typeOnly) return `may import only types of ${name}`;
  if (!isDeclared(owner, name)) return `imports undeclared ${name}`;
  const exported = workspace.find(({ manifest }) => manifest.name === name)?.manifest.exports ?? {};
  const subpath = `.${specifier.slice(name.length)}`;
  return Object.hasOwn(exported, subpath) ? undefined : `imports internals: ${name} does not export ${subpath}`;
}

function findUnusedDependencies(owner: WorkspacePackage): string[] {
  const used = new Set(
    owner.sources.flatMap((file) => readImports(file.text).map(({ specifier }) => packageNameOf(specifier ?? ""))),
  );
  const declared = Object.keys({ ...owner.manifest.dependencies, ...owner.manifest.peerDependencies });
  return declared
    .filter((name) => isWorkspaceName(name) && !used.has(name))
    .map((name) => `${owner.folder}/package.json declares ${name} and nothing imports it`);
}

/** Whether Node brings the module itself, with or without the prefix. */
export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

function packageNameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function isWorkspaceName(name: string): boolean {
  return name.startsWith("@reprise/") || name === "reprise";
}

function isDeclared({ manifest }: WorkspacePackage, name: string): boolean {
  return Object.hasOwn({ ...manifest.dependencies, ...manifest.peerDependencies }, name);
}
