import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { KeptDocuments } from "@reprise/contracts";
import { getAt } from "@reprise/state";
import { findSkillFile, readFileStart, SkillError } from "./skill-files.ts";

const MAX_FILES = 256;
const MAX_BYTES = 1_048_576;

/** The kind of the documents that say which scripts a tenant has run: one for each folder of a skill. */
export const SCRIPT_PINS = "skill_scripts";

/** Names the scripts of a skill by what they say: all of them, because one may call another. */
export async function digestScripts(folder: string): Promise<string> {
  const entries = await readdir(join(folder, "scripts"), { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  if (files.length > MAX_FILES) throw new SkillError("invalid_path", `The skill has more than ${MAX_FILES} scripts.`);
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    const path = file.slice(folder.length + 1);
    const { bytes, start } = await readFileStart(await findSkillFile(folder, path), MAX_BYTES);
    if (bytes > MAX_BYTES) throw new SkillError("invalid_path", `${path} has more than ${MAX_BYTES} bytes.`);
    hash.update(JSON.stringify([path, bytes])).update(start);
  }
  return hash.digest("hex");
}

/** The scripts of a skill as they were when they last ran. */
export interface ScriptPin {
  readonly digest?: string;
  readonly revision: number;
}

export async function loadPin(pins: KeptDocuments, folder: string): Promise<ScriptPin> {
  const stored = await pins.load(pinId(folder));
  const digest = getAt(stored?.body ?? null, ["digest"]);
  return { revision: stored?.revision ?? 0, ...(typeof digest === "string" && { digest }) };
}

/** Stores that these scripts may run. A pin that another run stored at the same time wins; the next run asks if it differs. */
export async function savePin(pins: KeptDocuments, folder: string, digest: string, pin: ScriptPin): Promise<void> {
  if (pin.digest !== digest) await pins.save(pinId(folder), { folder, digest }, pin.revision);
}

function pinId(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 32);
}
