import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { findPackageJSON } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { Refusal } from "./refusal.ts";
import type { Template } from "./templates.ts";

/** A project that was written. */
export interface CreatedProject {
  readonly folder: string;
  /** The name in its package.json. */
  readonly name: string;
}

/** What a folder may have in it that is to become a project: a repository without files. */
const HARMLESS = [".git", ".DS_Store"];

/**
 * Writes a template into a folder that is empty or not there. The files are written beside it first and moved when all of them are
 * there: a failure leaves the folder as it was.
 */
export function createProject(path: string, template: Template): CreatedProject {
  const folder = resolve(path);
  assertFree(folder, path);
  const name = nameOf(folder);
  const parent = dirname(folder);
  // Only what was made here is removed after a failure.
  const firstMade = mkdirSync(parent, { recursive: true });
  const draft = mkdtempSync(join(parent, ".create-reprise-"));
  try {
    fill(draft, template, name);
    moveInto(folder, draft);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (firstMade !== undefined) rmSync(firstMade, { recursive: true, force: true });
    throw error;
  }
  rmSync(draft, { recursive: true, force: true });
  return { folder, name };
}

function assertFree(folder: string, said: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory())
    throw new Refusal(`${said} is a file. Name a folder that is empty or not there.`);
  const found = readdirSync(folder).filter((name) => !HARMLESS.includes(name));
  if (found.length === 0) return;
  const shown = found.slice(0, 3).join(", ");
  const more = found.length > 3 ? ` and ${found.length - 3} more` : "";
  throw new Refusal(
    `${said} is not empty (${shown}${more}). Nothing was written. Name a folder that is empty or not there.`,
  );
}

/** A name as npm takes them. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" ? "my-app" : name.slice(0, 200);
}

function fill(draft: string, template: Template, name: string): void {
  cpSync(join(packageFolder(), "templates", template.name), draft, {
    recursive: true,
    // In the repository a template may have been tried out.
    filter: (source) => !/[\\/](node_modules|\.next|threads|package-lock\.json)$/.test(source),
  });
  // npm publishes no file of this name, and leaves out what it lists.
  renameSync(join(draft, "gitignore"), join(draft, ".gitignore"));
  const file = join(draft, "package.json");
  const manifest: object = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify({ ...manifest, name }, null, 2)}\n`);
}

/** A folder that is there stays the same folder: it may be the one that somebody stands in. */
function moveInto(folder: string, draft: string): void {
  const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
  const moved: string[] = [];
  try {
    for (const entry of readdirSync(draft)) {
      renameSync(join(draft, entry), join(folder, entry));
      moved.push(join(folder, entry));
    }
  } catch (error) {
    for (const path of isNew ? [folder] : moved) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

function packageFolder(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error("create-reprise has no package.json.");
  return dirname(manifest);
}
