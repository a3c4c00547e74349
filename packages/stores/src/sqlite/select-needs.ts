import type { NeedText } from "../kernel/need.ts";
import type { Connection } from "./connection.ts";

/** From need to need through the index, however many threads have each. */
const DUE_NEEDS = `with recursive needs (need) as (
    select min(work_need) from threads where work_at is not null
    union all
    select (select min(work_need) from threads where work_at is not null and work_need > needs.need) from needs
    where needs.need is not null)
  select need from needs where need is not null and exists (select 1 from threads
    where work_need = needs.need and work_rank in (0, 1, 2) and work_at <= :now and work_at is not null)`;

/** What the work needs that is due. */
export function selectDueNeeds(connection: Connection, now: number): readonly NeedText[] {
  return connection.all<{ readonly need: NeedText }>(DUE_NEEDS, { now }).map(({ need }) => need);
}
