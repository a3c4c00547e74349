import { constants, open } from "node:fs/promises";
import { resolve } from "node:path";
import type { ContextOmission, ContextRef, Message } from "@reprise/contracts";
import { frame } from "./compacted-request.ts";

/** A file as it was read: its text, or why there is none. */
export type InstructionFile =
  | { readonly path: string; readonly text: string; readonly is_cut: boolean }
  | { readonly path: string; readonly missing: string };

export interface InstructionLimits {
  /** Relative paths are looked up here. */
  readonly root: string;
  /** Of each file, so much is read. */
  readonly maxBytes: number;
}

/** Reads files, each up to its limit. A file that cannot be read is said to be missing: a run does not fail for it. */
export function readInstructions(
  paths: readonly string[],
  limits: InstructionLimits,
): Promise<readonly InstructionFile[]> {
  return Promise.all(paths.map((path) => readOne(path, limits)));
}

/** Without blocking: a pipe that has no writer must not hold up the run. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

async function readOne(path: string, { root, maxBytes }: InstructionLimits): Promise<InstructionFile> {
  try {
    const file = await open(resolve(root, path), READ_ONLY);
    try {
      if (!(await file.stat()).isFile()) return { path, missing: "it is no file" };
      // One byte more than may be kept tells whether there is more.
      const buffer = new Uint8Array(maxBytes + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length);
        length += bytesRead;
        if (bytesRead === 0 || length === buffer.length) break;
      }
      const text = new TextDecoder().decode(buffer.subarray(0, Math.min(length, maxBytes)));
      return { path, text, is_cut: length > maxBytes };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return { path, missing: code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})` };
  }
}

/** The texts of the files, each under the path of its file. */
export function describeInstructions(files: readonly InstructionFile[]): string {
  return files.flatMap((file) => ("text" in file ? [frame("instructions", file.text, file.path)] : [])).join("\n\n");
}

/** The files as a message in the user's position, since everybody who works on a project may write to them. */
export function instructionMessage(files: readonly InstructionFile[]): Message {
  return {
    id: "context-instructions",
    role: "user",
    content: `Instructions of this project, from its files:\n\n${describeInstructions(files)}`,
    visibility: "internal",
  };
}

/** Where the texts come from, and which are missing or cut. */
export function sourcesOf(files: readonly InstructionFile[]): {
  readonly refs: readonly ContextRef[];
  readonly omissions: readonly ContextOmission[];
} {
  const refOf = ({ path }: InstructionFile): ContextRef => ({ kind: "instruction", ref: path });
  return {
    refs: files.filter((file) => "text" in file).map(refOf),
    omissions: files.flatMap((file) => {
      if ("missing" in file) return [{ ...refOf(file), reason: file.missing }];
      return file.is_cut ? [{ ...refOf(file), reason: "it is too long; only its beginning is used" }] : [];
    }),
  };
}
