import { join } from "node:path";
import { invalidRequest, RepriseError } from "@reprise/contracts";
import { type Disk, OPEN_TO, readBytes, writeAll } from "../disk/disk.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { LOG_FORMAT, tooNew } from "../log/log-line.ts";
import { LOCK_FILE } from "./folder-lock.ts";

/** Says that a folder is one of ours, and in which format. */
const MARKER = "store.json";
const PROGRAM = "reprise";

/** What may be in a folder that is being made. */
const OWN_NAMES: readonly string[] = [LOCK_FILE, `${LOCK_FILE}-journal`, "threads", "blobs", "documents", "temporary"];

/** Whether a folder is a store already. Refuses one with files of something else, and one that a newer version made. */
export async function findMarker(disk: Disk, folder: string): Promise<boolean> {
  const names = (await disk.list(folder)).map(({ name }) => name);
  if (!names.includes(MARKER)) {
    const other = names.find((name) => !OWN_NAMES.includes(name));
    if (other === undefined) return false;
    throw invalidRequest(`The folder ${folder} is no store: there is ${JSON.stringify(other)} in it.`);
  }
  const { program, format } = parseMarker(await readMarker(disk, join(folder, MARKER)));
  if (program !== PROGRAM || typeof format !== "number") {
    throw new RepriseError("CORRUPT_DATA", `The file ${MARKER} in ${folder} cannot be read.`);
  }
  if (format > LOG_FORMAT) throw tooNew(format);
  return true;
}

export async function writeMarker(logs: LogFolder, folder: string): Promise<void> {
  const text = `${JSON.stringify({ program: PROGRAM, format: LOG_FORMAT })}\n`;
  await logs.replace(
    join(folder, MARKER),
    (file) => writeAll(file, Buffer.from(text), 0),
    () => undefined,
  );
}

/** Far longer than any marker. */
const MARKER_BYTES = 4_096;

async function readMarker(disk: Disk, path: string): Promise<string> {
  const file = await disk.open(path, OPEN_TO.read);
  try {
    return (await readBytes(file, 0, MARKER_BYTES)).toString("utf8");
  } finally {
    await file.close();
  }
}

function parseMarker(text: string): { readonly program?: unknown; readonly format?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
