import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { InboxRows } from "../shell/row-reader.ts";
import { DECISION_COLUMNS, ENTRY_COLUMNS } from "./demand-statements.ts";
import { storedId } from "./hostile-values.ts";
import type { Ask } from "./select-commits.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";
import { THREAD_NUMBER } from "./table.ts";

const OF_RUN = "tenant = $1 and run_id = $3 and is_pending = 1";
const IS_CANCEL = `thread_key = ${THREAD_NUMBER} and place in ('wake', 'claimed')
  and kind = 'cancel' and run_id is not distinct from $3`;
const IS_STEERING = `thread_key = ${THREAD_NUMBER} and place = 'run' and busy_policy = 'steer'`;

/** An owner asks at every turn, and nearly always nothing came. */
const HAS_MAIL = prepared(
  `select exists (select from decisions where ${OF_RUN}) or exists (select from entries where ${IS_CANCEL})
     or exists (select from entries where ${IS_STEERING}) as has_mail`,
);

const SELECT_DECISIONS = prepared(
  `select ${DECISION_COLUMNS} from decisions
   where ${OF_RUN} and thread_key is not distinct from ${THREAD_NUMBER} order by key`,
);

const SELECT_CANCEL = prepared(
  `select $2 as thread_id, ${ENTRY_COLUMNS} from entries where ${IS_CANCEL} order by arrival limit 1`,
);

const SELECT_STEERING = prepared(
  `select $2 as thread_id, ${ENTRY_COLUMNS} from entries where ${IS_STEERING} order by priority desc, arrival`,
);

type EntryRecord = EntryColumns & { readonly thread_id: string };

/** What came for a run while its owner was busy. */
export async function readInbox(ask: Ask, tenant: string, threadId: string, runId: string): Promise<InboxRows> {
  const thread = [tenant, storedId(threadId)] as const;
  const run = escapeText(runId);
  const [look] = rowsOf<{ readonly has_mail: boolean }>(await ask([HAS_MAIL(...thread, run)]));
  if (look?.has_mail !== true) return { decisions: [], cancel: undefined, steering: [] };
  const results = await ask([
    SELECT_DECISIONS(...thread, run),
    SELECT_CANCEL(...thread, run),
    SELECT_STEERING(...thread),
  ]);
  const decisions = rowsOf<DecisionColumns & { readonly run_id: string }>(results, 0).map(fromDecisionColumns);
  const [cancel] = rowsOf<EntryRecord>(results, 1).map(fromEntryColumns);
  const steering = rowsOf<EntryRecord>(results, 2).map(fromEntryColumns);
  return { decisions: decisions.map(({ decision }) => decision), cancel, steering };
}
