import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

/** Why a skill, or a file of one, cannot be used. The model reads it. */
export class SkillError extends Error {
  override readonly name = "SkillError";
  readonly code: "unknown_skill" | "invalid_path" | "invalid_skill_md" | "script_failed";

  constructor(code: SkillError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The folders of a skill that hold files for the model. */
export type SkillFolder = "references" | "assets" | "scripts";

/** A path below one of a skill's folders, as a model gave it. Refused when it could mean anything else. */
export function assertResourcePath(path: string, folder: SkillFolder): void {
  const parts = path.split("/");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file of a skill has one in its name.
  const isSound = path.length <= 512 && !/[\\\u0000-\u001f\u007f:]/.test(path) && parts.length > 1;
  if (isSound && parts[0] === folder && parts.every((part) => part !== "" && part !== "." && part !== "..")) return;
  throw new SkillError("invalid_path", `The path must be a file below ${folder}/, such as ${folder}/guide.md.`);
}

/** Where a file of a skill really is. Links may not lead out of the skill's folder. */
export async function findSkillFile(folder: string, path: string): Promise<string> {
  const missing = (): never => {
    throw new SkillError("invalid_path", `The skill has no file ${JSON.stringify(path)}.`);
  };
  const file = await realpath(join(folder, path)).catch(missing);
  return file.startsWith(folder + sep) ? file : missing();
}

/** A file, or its beginning. */
export interface FileStart {
  readonly bytes: number;
  readonly start: Buffer;
}

/** Reads a regular file up to a limit. A pipe or a device is neither read nor waited for. */
export async function readFileStart(file: string, maxBytes: number): Promise<FileStart> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new SkillError("invalid_path", "The path is not a regular file.");
    const start = Buffer.alloc(Math.min(stats.size, maxBytes));
    const { bytesRead } = await handle.read(start, 0, start.length, 0);
    return { bytes: stats.size, start: start.subarray(0, bytesRead) };
  } finally {
    await handle?.close();
  }
}
