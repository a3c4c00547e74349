import { join } from "node:path";
import { hasCode, OPEN_TO, type OpenFile, writeAll } from "../disk/disk.ts";
import { isLogName, logName } from "../disk/file-names.ts";
import { Gate } from "../disk/gate.ts";
import { type LoadedLog, loadLog } from "../log/load-log.ts";
import type { LogFolder } from "../log/log-folder.ts";

/** How many logs are read at the same time. */
const READERS = 4;

/** A log whose thread is unknown: its beginning is damaged, or it is not a file. */
const UNREADABLE: LoadedLog = { header: undefined, lines: [], end: 0, lacksEnd: false, damagedAt: 0 };

/** Reads all logs of a folder and cuts off what a crash left behind. `take` gets each with the name of its file. */
export async function loadThreads(logs: LogFolder, take: (name: string, log: LoadedLog) => void): Promise<void> {
  const items = (await logs.disk.list(logs.path)).filter(({ name }) => isLogName(name));
  const gate = new Gate(READERS);
  const loading = items.map(({ name, isFile }) =>
    gate.run(async () => {
      const loaded = isFile ? await loadFile(logs, join(logs.path, name)) : UNREADABLE;
      if (loaded !== undefined) take(name, isForeign(loaded, name) ? { ...UNREADABLE, end: loaded.end } : loaded);
    }),
  );
  // All of them finish before a failure is reported: no reader continues in a folder that was given up.
  await Promise.allSettled(loading);
  await Promise.all(loading);
  await logs.names.sync();
}

/** A file with the name of another thread was put there by hand or by another program. */
function isForeign({ header }: LoadedLog, name: string): boolean {
  return header !== undefined && logName(header.tenant, header.thread_id) !== name;
}

async function loadFile(logs: LogFolder, path: string): Promise<LoadedLog | undefined> {
  const file = await openLog(logs, path);
  if (file === undefined) return UNREADABLE;
  let loaded: LoadedLog;
  let length: number;
  try {
    loaded = await loadLog(file);
    length = (await file.stat()).size;
  } finally {
    await file.close();
  }
  if (loaded.end === 0) {
    // Nothing of it was ever acknowledged.
    await logs.disk.unlink(path);
    return undefined;
  }
  if (loaded.end < length || loaded.lacksEnd) await mendFile(logs, path, loaded);
  return loaded;
}

/** Undefined for a link, which may lead anywhere. */
async function openLog({ disk }: LogFolder, path: string): Promise<OpenFile | undefined> {
  try {
    return await disk.open(path, OPEN_TO.read);
  } catch (error) {
    if (hasCode(error, "ELOOP")) return undefined;
    throw error;
  }
}

async function mendFile({ disk }: LogFolder, path: string, { end, lacksEnd }: LoadedLog): Promise<void> {
  const file = await disk.open(path, OPEN_TO.write);
  try {
    await file.truncate(end);
    if (lacksEnd) await writeAll(file, Buffer.from("\n"), end - 1);
    await file.datasync();
  } finally {
    await file.close();
  }
}
