import { RepriseError, type StoreSignal, type ThreadKey } from "@reprise/contracts";
import { escapeText } from "../codec/escape-text.ts";
import type { NeedText } from "../kernel/need.ts";
import { demandOf } from "../kernel/operations.ts";
import type { ClaimAnswer, Claimer, ThreadRequest } from "../kernel/request.ts";
import type { WorkRank } from "../kernel/rows.ts";
import { TOO_NEW_PAUSE_MS } from "../kernel/work.ts";
import { encodeArray } from "./binary-array.ts";
import type { Database } from "./database.ts";
import { DemandRead } from "./read-demands.ts";
import { BEGIN, COMMIT, type Operation, plan } from "./run-batch.ts";
import type { ServerClock } from "./server-clock.ts";
import { rowsOf, type Session } from "./session.ts";
import { type Prepared, prepared, type Query } from "./statement.ts";
import { NOW } from "./table.ts";
import { WriteBatch } from "./write-batch.ts";

/**
 * The time at the server, and what the work needs that is due then, or at another time that is given: a row for each need, from need
 * to need through the index, however many threads have each, first that of what has been due for longest. One row without a need when
 * nothing is due.
 */
const LOOK = prepared(`with recursive needs as (
    (select md5(work_need) as key, work_need from threads where work_at is not null and md5(work_need) >= ''
      order by md5(work_need) limit 1)
    union all
    (select next.key, next.work_need from needs cross join lateral (
      select md5(work_need) as key, work_need from threads where work_at is not null and md5(work_need) > needs.key
      order by md5(work_need) limit 1) as next)),
  due as (select needs.work_need, min(first.work_at) as at from needs cross join (values (0), (1), (2)) as ranks (rank)
    cross join lateral (select work_at from threads where md5(threads.work_need) = needs.key and work_rank = ranks.rank
      and work_at is not null and work_at <= coalesce($1::float8, (select ${NOW})) order by work_at limit 1) as first
    group by needs.work_need)
  select time.now, due.work_need as need from (select ${NOW} as now) as time left join due on true order by due.at`);

/**
 * Threads that are due, the most urgent first, locked. Threads that another process holds are skipped: their holder sees
 * to them, and several processes share all work.
 */
function lockDue(ranks: string): Prepared {
  return prepared(`select due.tenant, due.thread_id from ${ranks}
  cross join unnest($3::text[]) as needs (need)
  cross join lateral (
    select tenant, thread_id from threads
    where md5(work_need) = md5(needs.need) and work_rank = ranks.rank and work_at <= $1::float8 and work_at is not null
    order by work_at limit $2::bigint for update skip locked) as due
  limit $2::bigint`);
}

const LOCK_DUE = lockDue("(values (0), (1), (2)) as ranks (rank)");

/** Of one rank only. */
const LOCK_DUE_OF_RANK = lockDue("(values ($4::integer)) as ranks (rank)");

const DUE_RANKS = prepared(`select ranks.rank from (values (0), (1), (2)) as ranks (rank)
  where exists (select from unnest($2::text[]) as needs (need) cross join lateral (
    select from threads where md5(work_need) = md5(needs.need) and work_rank = ranks.rank and work_at is not null
      and work_at <= $1::float8 limit 1) as due)`);

/** The ranks of the due work with some needs. */
export async function findDueRanks(
  database: Database,
  needs: readonly NeedText[],
  time: number,
): Promise<readonly WorkRank[]> {
  const results = await database.read([DUE_RANKS(time, encodeArray("text", needs))]);
  return rowsOf<{ readonly rank: WorkRank }>(results).map(({ rank }) => rank);
}

const CLOSE_THREAD = prepared(`update threads set damage = coalesce(damage, $3), work_rank = null, work_at = null
  where tenant = $1 and thread_id = $2`);

const DEFER_THREAD = prepared("update threads set work_at = $3::float8 where tenant = $1 and thread_id = $2");

/** What the work needs that is due. Mostly none is: that takes one statement and no transaction. */
export async function lookForNeeds(database: Database, clock: ServerClock): Promise<readonly NeedText[]> {
  const rows = rowsOf<{ readonly now: number; readonly need: NeedText | null }>(await database.read([LOOK(clock.own)]));
  clock.hear(rows[0]?.now ?? 0);
  return rows.flatMap(({ need }) => need ?? []);
}

const COUNT_DUE = prepared(`select count(*)::int4 as count from (
  select from threads where md5(work_need) >= '' and work_at is not null
    and work_at <= coalesce($1::float8, (select ${NOW})) limit $2::bigint) as due`);

/** How many threads are due, counted up to a limit. */
export async function countDueThreads(database: Database, clock: ServerClock, limit: number): Promise<number> {
  const rows = rowsOf<{ readonly count: number }>(await database.read([COUNT_DUE(clock.own, limit)]));
  return rows[0]?.count ?? 0;
}

/** What one round of claiming came to. `isLast`: there was nothing more to offer. */
export interface ClaimRound {
  readonly granted: readonly ClaimAnswer[];
  /** Of work that was found and left to others. */
  readonly signals: readonly StoreSignal[];
  readonly isLast: boolean;
}

/** Offers up to `limit` due threads to the operation `claim`, in one transaction. Each offer settles when a thread is due next. */
export async function claimDue(
  session: Session,
  request: Claimer,
  { limit, clock, rank }: { readonly limit: number; readonly clock: ServerClock; readonly rank?: WorkRank | undefined },
): Promise<ClaimRound> {
  const time = clock.estimate();
  const needs = encodeArray("text", request.needs);
  const lock = rank === undefined ? LOCK_DUE(time, limit, needs) : LOCK_DUE_OF_RANK(time, limit, needs, rank);
  try {
    const due = rowsOf<ThreadKey>(await session.run([BEGIN(), lock]), 1);
    const operations = due.map((key) => toOperation({ operation: "claim", ...key, request }));
    const granted: ClaimAnswer[] = [];
    const signals: StoreSignal[] = [];
    const writes = due.length === 0 ? [] : await offer(session, operations, { time, granted, signals });
    await session.run([...writes, COMMIT()]);
    return { granted, signals, isLast: due.length < limit };
  } catch (error) {
    await session.rollBack();
    throw error;
  }
}

async function offer(
  session: Session,
  operations: readonly Operation[],
  {
    time,
    granted,
    signals,
  }: { readonly time: number; readonly granted: ClaimAnswer[]; readonly signals: StoreSignal[] },
): Promise<readonly Query[]> {
  const read = new DemandRead(operations, { now: time });
  const rows = read.take(await session.run(read.queries));
  const batch = new WriteBatch();
  const closings: Query[] = [];
  for (const [index, operation] of operations.entries()) {
    const outcome = plan(operation, rows[index], undefined, { batch, now: () => time });
    // One that cannot be read must not stand in the way of the others.
    if ("refusal" in outcome) closings.push(setAside(operation, outcome.refusal, time));
    else if ("answer" in outcome) {
      // Only claims were planned.
      if (outcome.answer !== null) granted.push(outcome.answer as ClaimAnswer);
      signals.push(...outcome.signals);
    }
  }
  return [...batch.queries, ...closings];
}

/** A thread that is damaged is closed. One that a newer version wrote is for newer processes: it is due again in a while. */
function setAside({ request, thread_id }: Operation, refusal: unknown, time: number): Query {
  if (RepriseError.is(refusal, "FORMAT_TOO_NEW"))
    return DEFER_THREAD(request.tenant, thread_id, time + TOO_NEW_PAUSE_MS);
  if (!RepriseError.is(refusal, "CORRUPT_DATA")) throw refusal;
  return CLOSE_THREAD(request.tenant, thread_id, escapeText(refusal.message));
}

function toOperation(request: ThreadRequest<"claim">): Operation {
  return { request, demand: demandOf(request), thread_id: request.thread_id };
}
