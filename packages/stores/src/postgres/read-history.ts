import type { Json } from "@reprise/state";
import { type MetadataColumns, type ThreadColumns, threadOf } from "../codec/columns/thread-columns.ts";
import { sealChangeset } from "../codec/seal-changeset.ts";
import { damaged, parseText, readText, type StoredText } from "../codec/stored-text.ts";
import type { History, HistoryBase } from "../kernel/demand.ts";
import { isSuperseded } from "../shell/message-page.ts";
import { THREAD_COLUMNS } from "./demand-statements.ts";
import { storedId } from "./hostile-values.ts";
import { type Ask, selectCommits, selectMessages, type ThreadIds } from "./select-commits.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";
import { THREAD_NUMBER } from "./table.ts";

const SELECT_SOURCE = prepared(`select ${THREAD_COLUMNS} from threads where tenant = $1 and thread_id = $2`);

const SELECT_REFS = prepared(`select ref from blob_refs where thread_key = ${THREAD_NUMBER}`);

/** The snapshot of a version, and where the messages after it begin. */
const SELECT_BASE = prepared(
  `select format, checksum, body, (select first_position + message_count from commits
     where thread_key = ${THREAD_NUMBER} and version = $3::bigint order by part desc limit 1) as messages
   from snapshots where thread_key = ${THREAD_NUMBER} and version = $3::bigint`,
);

/** A thread up to a version, for its fork, inside the transaction that makes the fork and has locked it. */
export async function readHistory(
  ask: Ask,
  tenant: string,
  { thread_id, up_to }: { readonly thread_id: string; readonly up_to: number },
): Promise<(() => History) | undefined> {
  const ids = { tenant, thread_id: storedId(thread_id) };
  const results = await ask([SELECT_SOURCE(tenant, ids.thread_id), SELECT_REFS(tenant, ids.thread_id)]);
  const [columns] = rowsOf<ThreadColumns & MetadataColumns>(results);
  if (columns === undefined) return undefined;
  const { pruned_version } = columns;
  const last = Number.isSafeInteger(up_to) ? Math.min(Math.max(up_to, 0), columns.version) : 0;
  const range = { after: pruned_version, limit: Math.max(last - pruned_version, 0) };
  const commits = await selectCommits(ask, ids, range);
  const base = pruned_version > 0 && last >= pruned_version ? await readBase(ask, ids, pruned_version) : () => null;
  return () => ({
    thread: threadOf(columns),
    pruned_version,
    base: base(),
    changesets: commits.map((row) => row.open()),
    blob_refs: rowsOf<{ readonly ref: string }>(results, 1).map(({ ref }) => ref),
    seal: sealChangeset,
  });
}

/** What is left of the versions up to the one where history was cut. */
async function readBase(ask: Ask, ids: ThreadIds, version: number): Promise<() => HistoryBase> {
  const results = await ask([SELECT_BASE(ids.tenant, ids.thread_id, version)]);
  const [stored] = rowsOf<StoredText & { readonly messages: number }>(results);
  const selection = { first: 0, last: (stored?.messages ?? 0) - 1, order: "asc", only_shown: false } as const;
  const { rows, superseded } = await selectMessages(ask, ids, selection);
  const before = superseded.filter((range) => range.version <= version);
  return () => {
    if (stored === undefined) throw damaged("snapshot");
    const messages = rows.flatMap((row) => row.open());
    return {
      // Written by `saveSnapshot` or by pruning.
      state: parseText("snapshot", readText("snapshot", stored)) as Json,
      messages,
      supersedes: messages.filter((_, position) => isSuperseded(before, position)).map(({ id }) => id),
    };
  };
}
