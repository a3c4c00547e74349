import type { Json } from "@reprise/state";
import { type MetadataColumns, type ThreadColumns, threadOf } from "../codec/columns/thread-columns.ts";
import { openChangeset, openStoredMessage } from "../codec/open-changeset.ts";
import { PRUNED, parseText, readText, type StoredText } from "../codec/stored-text.ts";
import type { History, HistoryBase } from "../kernel/demand.ts";
import { THREAD_COLUMNS } from "./demand-statements.ts";
import { storedId } from "./hostile-values.ts";
import { type Ask, selectChangesets, THREAD_NUMBER } from "./select-changesets.ts";
import { selectUpTo } from "./select-messages.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";

const SELECT_SOURCE = prepared(`select ${THREAD_COLUMNS} from threads where tenant = $1 and thread_id = $2`);

const SELECT_BASE = prepared(
  `select format, checksum, body from snapshots where thread_key = ${THREAD_NUMBER} and version = $3::bigint`,
);

interface Place {
  readonly tenant: string;
  readonly thread_id: string;
}

/** A thread up to a version, for its fork, inside the transaction that makes the fork and has locked it. */
export async function readHistory(
  ask: Ask,
  tenant: string,
  { thread_id, up_to }: { readonly thread_id: string; readonly up_to: number },
): Promise<(() => History) | undefined> {
  const place = { tenant, thread_id: storedId(thread_id) };
  const [columns] = rowsOf<ThreadColumns & MetadataColumns>(await ask([SELECT_SOURCE(tenant, place.thread_id)]));
  if (columns === undefined) return undefined;
  const { pruned_version } = columns;
  const last = Number.isSafeInteger(up_to) ? Math.min(Math.max(up_to, 0), columns.version) : 0;
  const range = { after: pruned_version, limit: Math.max(last - pruned_version, 0) };
  const changesets = await selectChangesets(ask, place, range);
  const base = pruned_version > 0 && last >= pruned_version ? await readBase(ask, place, pruned_version) : () => null;
  return () => ({
    thread: threadOf(columns),
    pruned_version,
    base: base(),
    changesets: changesets.map(openChangeset),
  });
}

/** What is left of the versions up to the one where history was cut. */
async function readBase(ask: Ask, place: Place, version: number): Promise<() => HistoryBase> {
  const [stored = PRUNED] = rowsOf<StoredText>(await ask([SELECT_BASE(place.tenant, place.thread_id, version)]));
  const messages = await selectUpTo(ask, place, version);
  const superseded = messages.filter((message) => (message.superseded_version ?? version + 1) <= version);
  return () => ({
    // Written by `saveSnapshot` or by pruning.
    state: parseText("snapshot", readText("snapshot", stored)) as Json,
    messages: messages.map(openStoredMessage),
    supersedes: superseded.map(({ id }) => id),
  });
}
