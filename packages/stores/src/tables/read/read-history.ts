import type { Json } from "@reprise/state";
import { damaged, parseText, readText } from "../../codec/stored-text.ts";
import type { History, HistoryBase } from "../../kernel/demand.ts";
import { isSuperseded } from "../../shell/message-page.ts";
import type { ThereThread } from "./find-thread.ts";
import { commitsAfter, loadContents } from "./load-contents.ts";

/** A thread up to a version, for its fork. Undefined when it is gone by now. */
export async function readHistory(
  thread: ThereThread,
  upTo: number,
  seal: History["seal"],
): Promise<History | undefined> {
  const { thread: record, pruned_version } = thread.row;
  const last = Number.isSafeInteger(upTo) ? Math.min(Math.max(upTo, 0), record.version) : 0;
  const cells = commitsAfter(thread, pruned_version, Math.max(last, pruned_version));
  const isCut = pruned_version > 0 && last >= pruned_version;
  const base = isCut ? await readBase(thread, pruned_version) : null;
  const contents = await loadContents(cells);
  if (contents === undefined || base === undefined) return undefined;
  const changesets = contents.map((content) => content.changeset());
  return { thread: record, pruned_version, base, changesets, blob_refs: [...thread.blobRefs], seal };
}

/** What is left of the versions up to the one where history was cut. */
async function readBase(thread: ThereThread, version: number): Promise<HistoryBase | undefined> {
  const ranges = thread.superseded.filter((range) => range.version <= version);
  const snapshot = thread.snapshots.find((cell) => cell.version === version);
  if (snapshot === undefined) throw damaged("snapshot");
  const [contents, text] = await Promise.all([loadContents(commitsAfter(thread, 0, version)), snapshot.load()]);
  if (contents === undefined || text === undefined) return undefined;
  const messages = contents.flatMap((content) => content.messages());
  return {
    // Written by `saveSnapshot` or by pruning.
    state: parseText("snapshot", readText("snapshot", text)) as Json,
    messages,
    supersedes: messages.filter((_, position) => isSuperseded(ranges, position)).map(({ id }) => id),
  };
}
