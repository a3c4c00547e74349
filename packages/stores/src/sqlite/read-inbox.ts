import { escapeText } from "../codec/escape-text.ts";
import type { InboxRows } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import { selectEntries, selectPendingDecisions, selectRun } from "./select-rows.ts";

const THREAD = "thread_key = (select key from threads where tenant = :tenant and thread_id = :thread_id)";

/** What came for a run while its owner was busy. */
export function readInbox(connection: Connection, tenant: string, threadId: string, runId: string): InboxRows {
  const thread = { tenant, thread_id: threadId };
  const isOfThread = selectRun(connection, tenant, runId)?.record.thread_id === threadId;
  const decisions = isOfThread ? selectPendingDecisions(connection, tenant, runId) : [];
  const [cancel] = selectEntries(
    connection,
    `${THREAD} and place in ('wake', 'claimed') and kind = 'cancel' and run_id = :run_id order by arrival`,
    { ...thread, run_id: escapeText(runId) },
  );
  const steering = selectEntries(
    connection,
    `${THREAD} and place = 'run' and busy_policy = 'steer' order by priority desc, arrival`,
    thread,
  );
  return { decisions: decisions.map(({ decision }) => decision), cancel, steering };
}
