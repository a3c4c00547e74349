import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseJson } from "@reprise/state";
import type { EvalCase } from "../case/eval-case.ts";
import { invalidCase, readCase } from "../case/read-case.ts";
import { type Baseline, readBaseline } from "../evaluate/baseline.ts";

/** How the name of a file with a case ends. */
export const CASE_SUFFIX = ".case.json";

export interface LoadedCase {
  readonly file: string;
  readonly evalCase: EvalCase;
}

/** The cases of files, and of folders with everything below them, in the order of their paths. A path that is not there is refused. */
export async function loadCases(paths: readonly string[]): Promise<readonly LoadedCase[]> {
  const files = new Set<string>();
  for (const path of paths) for (const file of await findFiles(path)) files.add(file);
  return Promise.all([...files].map(async (file) => ({ file, evalCase: readCase(await readJson(file), file) })));
}

/** The baseline in a file; undefined when there is no such file. */
export async function loadBaseline(file: string): Promise<Baseline | undefined> {
  const value = await readJson(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return value === undefined ? undefined : readBaseline(value, file);
}

/** Writes a value for people and for `git diff`. A reader finds the old file or the new one, never a half. */
export async function writeJsonFile(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(value, undefined, 2)}\n`);
  await rename(draft, file);
}

async function findFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw invalidCase(`There is no file or folder ${path}.`, { path });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const nested = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory() || entry.name.endsWith(CASE_SUFFIX))
      .map((entry) => findFiles(join(path, entry.name))),
  );
  return nested.flat().sort();
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8");
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidCase(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`, {}, error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
