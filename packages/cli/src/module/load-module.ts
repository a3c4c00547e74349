import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { RepriseError } from "@reprise/contracts";
import { findNearest } from "@reprise/contracts/shape";
import { EXIT_CODES } from "../output/exit-code.ts";
import { CommandFailure } from "../output/failure.ts";
import { isModulePath, MODULE_EXTENSIONS } from "./module-path.ts";
import { type AgentModule, readExports } from "./read-exports.ts";

/** Imports a module and reads its exports. Every failure is a `CommandFailure` that names the file and what is wrong. */
export async function loadModule(path: string): Promise<AgentModule> {
  const file = resolve(path);
  const name = relative(process.cwd(), file) || path;
  assertModuleFile(file, name);
  let exported: object;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    throw describeImportError(error, file, name);
  }
  return readExports(file, name, exported);
}

/** Refuses a path at which there is nothing to import, with the nearest name there is. */
export function assertModuleFile(file: string, name: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    const nearest = findNearest(basename(file), namesBeside(file));
    const meant = nearest === undefined ? undefined : `Did you mean ${join(dirname(name), nearest)}?`;
    throw invalid(`There is no file ${name}.`, {
      code: "MODULE_NOT_FOUND",
      remedy: meant ?? "Name a module that exports agents, as in: reprise serve agents.ts",
    });
  }
  if (!isModulePath(file))
    throw invalid(`${name} is not a module: its name must end in ${MODULE_EXTENSIONS.join(", ")}.`, {
      remedy: extname(file) === ".json" ? `For a configuration use --config ${name}.` : undefined,
    });
}

function namesBeside(file: string): readonly string[] {
  try {
    return readdirSync(dirname(file)).filter(isModulePath);
  } catch {
    return [];
  }
}

/** Why an import failed, with the remedy where Node's words have none. */
function describeImportError(error: unknown, file: string, name: string): CommandFailure {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_MODULE_NOT_FOUND") return describeMissing(message, name, error);
  const place = placeOf(error, file, name);
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return invalid(`${place} has TypeScript that Node cannot run: ${message}.`, {
      remedy: "Node removes types and runs the rest: write no enums, namespaces or parameter properties.",
      cause: error,
    });
  const what = RepriseError.is(error) ? message : `${error instanceof Error ? error.name : "Error"}: ${message}`;
  return invalid(`${place} failed while it was imported: ${what}`, {
    code: RepriseError.is(error) ? error.code : "MODULE_FAILED",
    remedy: "Run it with --verbose to see the stack.",
    cause: error,
  });
}

/** A package or a file that a module imports and that is not there. */
function describeMissing(message: string, name: string, cause: unknown): CommandFailure {
  const [, missing = "", importer] =
    /^Cannot find (?:package|module) '([^']+)'(?: imported from (.+))?/.exec(message) ?? [];
  const from = importer === undefined ? name : relative(process.cwd(), pathOf(importer));
  if (message.startsWith("Cannot find package"))
    return invalid(`${from} imports the package ${JSON.stringify(packageOf(missing))}, which is not installed.`, {
      remedy: `Install it: npm install ${packageOf(missing)}`,
      cause,
    });
  const file = pathOf(missing);
  const written = MODULE_EXTENSIONS.map((extension) => `${file}${extension}`).find((candidate) =>
    statSync(candidate, { throwIfNoEntry: false })?.isFile(),
  );
  return invalid(`${from} imports ${relative(process.cwd(), file)}, which does not exist.`, {
    remedy: written === undefined ? undefined : `Import it with its extension: ${basename(written)}`,
    cause,
  });
}

function pathOf(place: string): string {
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}

/** `zod/v4` is of `zod`, and `@scope/name/part` of `@scope/name`. */
function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/** The line an error comes from, where its stack names one in the module's folder; else the module. A stack of a syntax error begins with it. */
function placeOf(error: unknown, file: string, name: string): string {
  const lines = error instanceof Error ? (error.stack ?? "").split("\n") : [];
  const folder = pathToFileURL(dirname(file)).href;
  const [, broken, brokenLine] = /^(\/.*|[A-Z]:\\.*):(\d+)$/.exec(lines[0] ?? "") ?? [];
  if (broken !== undefined) return `${relative(process.cwd(), broken)}:${brokenLine}`;
  const own = lines.find((line) => line.includes(folder) && !line.includes("/node_modules/"));
  if (own === undefined) return name;
  // `file:///folder/agents.ts:3:5`, often in brackets.
  const parts = own.slice(own.indexOf("file://")).trimEnd().replace(/\)$/, "").split(":");
  const numbers = parts.slice(-2).filter((part) => /^\d{1,9}$/.test(part));
  const url = parts.slice(0, parts.length - numbers.length).join(":");
  return [relative(process.cwd(), fileURLToPath(url)), ...numbers].join(":");
}

function invalid(
  message: string,
  options: { readonly code?: string; readonly remedy?: string | undefined; readonly cause?: unknown } = {},
): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT_CODES.misused, code: "MODULE_INVALID", ...options });
}
