import { describeStore, describeStoreModel } from "@reprise/testkit";
import { expect } from "vitest";
import { openFolder } from "../src/file/folder/open-folder.ts";
import { rewriteLog } from "../src/file/log/rewrite-log.ts";
import { dumpTables } from "./file/dump-tables.ts";
import { openTemporaryFileStore } from "./file/temporary-file-store.ts";

/**
 * A store that, when a test is done with it, is read back and has to be what it was; and once more when its logs were written
 * anew.
 */
async function openAndCompare() {
  const opened = await openTemporaryFileStore();
  return {
    ...opened,
    async close() {
      const before = await dumpFolder(opened.folder);
      await opened.restart();
      expect(await dumpFolder(opened.folder)).toEqual(before);
      await rewriteLogs(opened.folder);
      expect(await dumpFolder(opened.folder)).toEqual(before);
      await opened.restart();
      expect(await dumpFolder(opened.folder)).toEqual(before);
      await opened.close();
    },
  };
}

async function dumpFolder(path: string): Promise<unknown> {
  const { folder, release } = await openFolder(path);
  const dump = dumpTables(folder.tables);
  release();
  return dump;
}

async function rewriteLogs(path: string): Promise<void> {
  const { folder, release } = await openFolder(path);
  for (const thread of folder.tables.threads) await rewriteLog(thread, folder.logOf(thread));
  release();
}

describeStore("file, read back and written anew,", openAndCompare);
describeStoreModel("file, read back and written anew,", openAndCompare, { runs: 20 });
