import { type MetadataColumns, type ThreadColumns, threadOf } from "../codec/columns/thread-columns.ts";
import { openChangeset } from "../codec/open-changeset.ts";
import type { History } from "../kernel/demand.ts";
import { THREAD_COLUMNS } from "./demand-statements.ts";
import { storedId } from "./hostile-values.ts";
import { type Ask, selectChangesets } from "./select-changesets.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";

const SELECT_SOURCE = prepared(`select ${THREAD_COLUMNS} from threads where tenant = $1 and thread_id = $2`);

/** A thread up to a version, for its fork, inside the transaction that makes the fork and has locked it. */
export async function readHistory(
  ask: Ask,
  tenant: string,
  { thread_id, up_to }: { readonly thread_id: string; readonly up_to: number },
): Promise<(() => History) | undefined> {
  const place = { tenant, thread_id: storedId(thread_id) };
  const [columns] = rowsOf<ThreadColumns & MetadataColumns>(await ask([SELECT_SOURCE(tenant, place.thread_id)]));
  if (columns === undefined) return undefined;
  const limit = Number.isSafeInteger(up_to) ? Math.min(Math.max(up_to, 0), columns.version) : 0;
  const changesets = await selectChangesets(ask, place, { after: 0, limit });
  return () => ({ thread: threadOf(columns), changesets: changesets.map(openChangeset) });
}
