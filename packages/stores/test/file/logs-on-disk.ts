import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { logName } from "../../src/file/disk/file-names.ts";

/** Where the log of a thread of the tenant `default` is. */
export function logPath(folder: string, threadId: string): string {
  return join(folder, "threads", logName("default", threadId));
}

/** Where the lines of a log begin, and where it ends. */
export function lineStarts(bytes: Buffer): readonly number[] {
  const starts = [0];
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, end + 1)) starts.push(end + 1);
  return starts;
}

/** Changes one byte of a file. */
export function flipByte(path: string, offset: number, mask = 0x01): void {
  const bytes = readFileSync(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ mask;
  writeFileSync(path, bytes);
}

/** Changes the first byte of a text in a log, wherever it is. */
export function flipText(path: string, text: string): void {
  const offset = readFileSync(path).indexOf(text);
  if (offset < 0) throw new Error(`There is no ${text} in ${path}.`);
  flipByte(path, offset);
}

/** Whether some file of a folder has a text in it. */
export function isOnDisk(folder: string, text: string): boolean {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  return files.some((file) => file.name !== "lock" && readFileSync(join(file.parentPath, file.name)).includes(text));
}
