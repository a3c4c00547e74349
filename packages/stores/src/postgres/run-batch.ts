import type { StoreSignal } from "@reprise/contracts";
import type { History, ThreadDemand } from "../kernel/demand.ts";
import { planOf } from "../kernel/operations.ts";
import type { ThreadRequest } from "../kernel/request.ts";
import { isConnectionLost } from "./postgres-errors.ts";
import { type DemandedRows, type DemandOnThread, DemandRead } from "./read-demands.ts";
import { readHistory } from "./read-history.ts";
import type { Session } from "./session.ts";
import { type Prepared, prepared } from "./statement.ts";
import { WriteBatch } from "./write-batch.ts";

/** What was read of a thread that is forked; undefined when there is none. Opening throws when it is damaged. */
type OpenSource = () => History | undefined;

/** An operation on a thread whose id is known, with what it demands. */
export interface Operation extends DemandOnThread {
  readonly request: ThreadRequest;
  /** What was read elsewhere of the thread that is forked, when that is in another database. */
  readonly source?: OpenSource;
}

/** What became of an operation. A refusal is as final as an answer: the operation changed nothing. */
export type Outcome =
  | { readonly answer: unknown; readonly signals: readonly StoreSignal[] }
  | { readonly refusal: unknown }
  /** Another process made the thread first: the operation changed nothing and may be tried again. */
  | { readonly isLate: true };

/** An operation that was planned, with its number in the batch of writes. */
type Planned = (Outcome & { readonly n: number }) | { readonly refusal: unknown };

/** A transaction that failed. `inDoubt`: it may have been committed, because the answer was lost. */
export class BatchFailure extends Error {
  readonly inDoubt: boolean;

  constructor(cause: unknown, inDoubt: boolean) {
    super("A batch failed.", { cause });
    this.inDoubt = inDoubt;
  }
}

export const BEGIN: Prepared = prepared("begin isolation level read committed");
export const COMMIT: Prepared = prepared("commit");

/**
 * Does operations on different threads in one transaction, in two round trips: all rows that any of them needs are read and
 * their threads locked; each is planned by itself; all writes and the commit are sent. An operation that is refused, or whose
 * rows are damaged, writes nothing and leaves the others alone. Throws `BatchFailure` when the database failed.
 */
export async function runBatch(
  session: Session,
  operations: readonly Operation[],
  now: (stored: number) => number,
): Promise<readonly Outcome[]> {
  const batch = new WriteBatch();
  let planned: readonly Planned[];
  try {
    const read = new DemandRead(operations);
    const [, ...results] = await session.run([BEGIN(), ...read.queries]);
    const rows = read.take(results);
    const histories = await readHistories(session, operations);
    planned = operations.map((operation, index) => plan(operation, rows[index], histories[index], { batch, now }));
  } catch (error) {
    await session.rollBack();
    throw new BatchFailure(error, false);
  }
  try {
    const { written } = batch.answer(await session.run([...batch.queries, COMMIT()]));
    return planned.map((outcome) => ("n" in outcome && !written.has(outcome.n) ? { isLate: true } : outcome));
  } catch (error) {
    await session.rollBack();
    throw new BatchFailure(error, batch.queries.length > 0 && isConnectionLost(error));
  }
}

async function readHistories(session: Session, operations: readonly Operation[]): Promise<readonly OpenSource[]> {
  const histories: OpenSource[] = [];
  for (const [index, { demand, source }] of operations.entries()) {
    if (demand.history === undefined) continue;
    histories[index] = source ?? (await openSource(session, demand.tenant, demand.history));
  }
  return histories;
}

/** Reads what a fork takes over, in a transaction that began before. */
export async function openSource(
  session: Session,
  tenant: string,
  history: NonNullable<ThreadDemand["history"]>,
): Promise<OpenSource> {
  const open = await readHistory((queries) => session.run(queries), tenant, history);
  return () => open?.();
}

/** Plans one operation and adds what it writes to the batch. */
export function plan(
  { request, thread_id }: Operation,
  demanded: DemandedRows | undefined,
  openHistory: OpenSource | undefined,
  { batch, now }: { readonly batch: WriteBatch; readonly now: (stored: number) => number },
): Planned {
  if (demanded === undefined) return { refusal: new Error("The rows of an operation are missing.") };
  try {
    const rows = demanded.open();
    const history = openHistory?.();
    const given = history === undefined ? rows : { ...rows, history };
    const { writes, answer, signals } = planOf(request, given, now(demanded.now));
    const n = batch.add(writes, { tenant: request.tenant, thread_id }, rows.thread);
    return { answer, signals, n };
  } catch (refusal) {
    return { refusal };
  }
}
