import type { NeedText } from "../kernel/need.ts";
import type { WorkRank } from "../kernel/rows.ts";
import type { Connection } from "./connection.ts";

const RANKS: readonly WorkRank[] = [0, 1, 2];

/** One look into the index. */
const EARLIEST = (rank: WorkRank): string =>
  `select min(work_at) as work_at from threads where work_need = needs.need and work_rank = ${rank} and work_at is not null`;

/** From need to need through the index, however many threads have each. */
const DUE_NEEDS = `with recursive needs (need) as (
    select min(work_need) from threads where work_at is not null
    union all
    select (select min(work_need) from threads where work_at is not null and work_need > needs.need) from needs
    where needs.need is not null)
  select need from (select need, (select min(work_at) from (${RANKS.map(EARLIEST).join(" union all ")})) as at
    from needs where need is not null)
  where at <= :now order by at`;

/** What the work needs that is due: first the need of what has been due for longest. */
export function selectDueNeeds(connection: Connection, now: number): readonly NeedText[] {
  return connection.all<{ readonly need: NeedText }>(DUE_NEEDS, { now }).map(({ need }) => need);
}

const COUNT_DUE = `select count(*) as count from (
  select 1 from threads where work_need >= '' and work_at is not null and work_at <= :now limit :limit)`;

/** How many threads are due, counted up to a limit. */
export function countDueThreads(connection: Connection, now: number, limit: number): number {
  return connection.all<{ readonly count: number }>(COUNT_DUE, { now, limit })[0]?.count ?? 0;
}
