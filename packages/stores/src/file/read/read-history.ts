import type { Json } from "@reprise/state";
import { openChangeset, openStoredMessage } from "../../codec/open-changeset.ts";
import { damaged, parseText, readText } from "../../codec/stored-text.ts";
import type { History, HistoryBase } from "../../kernel/demand.ts";
import type { ThereThread } from "./find-thread.ts";
import { type MarkedMessage, readRange } from "./read-messages.ts";
import { versionsOf } from "./read-versions.ts";
import { loadRows, loadSnapshotRow } from "./stored-rows.ts";

/** A thread up to a version, for its fork. Undefined when it is gone by now. */
export async function readHistory(thread: ThereThread, upTo: number): Promise<History | undefined> {
  const { thread: record, pruned_version } = thread.row;
  const last = Number.isSafeInteger(upTo) ? Math.min(Math.max(upTo, 0), record.version) : 0;
  const versions = versionsOf(thread, pruned_version, last);
  const isThere = pruned_version > 0 && last >= pruned_version;
  const base = isThere ? await readBase(thread, pruned_version) : null;
  const rows = await loadRows(thread, versions);
  if (rows === undefined) return undefined;
  const changesets = versions.map((cell) => openChangeset(rows.changeset(thread.threadId, cell)));
  return { thread: record, pruned_version, base, changesets };
}

/** What is left of the versions up to the one where history was cut. */
async function readBase(thread: ThereThread, version: number): Promise<HistoryBase> {
  const cell = thread.versions.get(version);
  if (cell === undefined) throw damaged("changeset");
  const messages = await readRange(thread, 0, cell.first_position + cell.messages.length);
  const snapshot = await loadSnapshotRow(thread, version);
  if (snapshot === undefined) throw damaged("snapshot");
  return {
    // Written by `saveSnapshot` or by pruning.
    state: parseText("snapshot", readText("snapshot", snapshot.state)) as Json,
    messages: messages.map(openStoredMessage),
    supersedes: messages.filter((message) => isSupersededBy(message, version)).map(({ id }) => id),
  };
}

function isSupersededBy({ superseded_version }: MarkedMessage, version: number): boolean {
  return superseded_version !== null && superseded_version <= version;
}
