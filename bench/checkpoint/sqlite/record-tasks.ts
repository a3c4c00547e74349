import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../../packages/stores/src/sqlite/index.ts";
import { WriterClient } from "../../../packages/stores/src/sqlite/writer-client.ts";
import type { WriterTask } from "../../../packages/stores/src/sqlite/writer-task.ts";
import { playRun } from "../load/play-run.ts";
import type { ScriptMaker } from "../load/record-run.ts";

/** A file for one store, on a disk. */
export interface StoreFile {
  readonly file: string;
  remove(): void;
}

export function makeStoreFile(): StoreFile {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-sqlite-"));
  return { file: join(folder, "threads.db"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Plays runs to a store and keeps what its writer was asked to do, run by run. */
export async function recordTasks(makeScript: ScriptMaker, runs: number): Promise<readonly (readonly WriterTask[])[]> {
  const { file, remove } = makeStoreFile();
  const store = await openSqliteStore({ file });
  const original = WriterClient.prototype.do;
  let tasks: WriterTask[] = [];
  WriterClient.prototype.do = function <Answer>(this: WriterClient, task: WriterTask): Promise<Answer> {
    if (task.task === "operation") tasks.push(task);
    return original.call(this, task) as Promise<Answer>;
  };
  try {
    const recorded: (readonly WriterTask[])[] = [];
    for (let run = 0; run < runs; run++) {
      tasks = [];
      await playRun(store.forTenant("default"), makeScript());
      recorded.push(tasks);
    }
    return recorded;
  } finally {
    WriterClient.prototype.do = original;
    await store.close();
    remove();
  }
}
