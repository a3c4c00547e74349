import { type Clock, RepriseError } from "@reprise/contracts";
import { escapeText } from "../../codec/escape-text.ts";
import { storedId } from "../hostile-values.ts";
import { rowsOf } from "../session.ts";
import { prepared } from "../statement.ts";
import { NOW } from "../table.ts";
import type { Partition, Partitions } from "./partition.ts";
import { hashedPlace, namedPlace, placeOfThread } from "./place-of-id.ts";

/** The store's time: the first value, or the server's when it is null. */
const TIME = `coalesce($1::float8, ${NOW})`;

/** A thread may keep its run; one that comes again is young again. */
const KEEP = prepared(
  `insert into run_places (made_at, tenant, run_id, thread_id) values (${TIME}, $2, $3, $4)
   on conflict (tenant, run_id) do update set made_at = excluded.made_at where run_places.thread_id = excluded.thread_id
   returning thread_id`,
);

const FIND = prepared("select thread_id from run_places where tenant = $1 and run_id = $2");

/** From a thread that never got the run: its submission was refused, or it was deleted since. */
const TAKE_OVER = prepared(
  `update run_places set thread_id = $4, made_at = ${TIME}
   where tenant = $2 and run_id = $3 and thread_id = $5 and made_at < ${TIME} - $6::float8 returning thread_id`,
);

const FORGET = prepared(
  `delete from run_places where md5(thread_id) = md5($3) and thread_id is not distinct from $3 and tenant is not distinct from $2
   and made_at < ${TIME} - $4::float8`,
);

/** A submission that is under way for longer than this has failed. */
const UNDER_WAY_MS = 600_000;

/** How many runs are remembered with their threads. */
const MAX_KNOWN = 10_000;

/**
 * Where runs are. The id of a run that the runtime made names the database of its thread. A run with any other id is entered in the
 * database that the hash of its id names, before the run is stored: there one looks for it, and there its id is taken.
 */
export class RunPlaces {
  readonly #partitions: Partitions;
  readonly #clock: Pick<Clock, "now"> | undefined;
  /** Threads by tenant and run, in the order of their last use. The thread of a run changes only when that is deleted. */
  readonly #known = new Map<string, string>();

  constructor(partitions: Partitions, clock: Pick<Clock, "now"> | undefined) {
    this.#partitions = partitions;
    this.#clock = clock;
  }

  placeOfThread(tenant: string, threadId: string): number {
    return placeOfThread(tenant, threadId, this.#partitions.count);
  }

  /**
   * Enters a run that its id does not lead to. `RUN_EXISTS` when another thread has it. `isNew` for a run that may not be stored yet;
   * one that is stored was entered before.
   */
  async enter(tenant: string, threadId: string, runId: string, { isNew }: { readonly isNew: boolean }): Promise<void> {
    const named = namedPlace(runId, this.#partitions.count);
    if (named !== undefined && named === this.placeOfThread(tenant, threadId)) return;
    if (!isNew && this.#known.get(keyOf(tenant, runId)) === threadId) return;
    if (named !== undefined) {
      const there = await threadIn(this.#partitions.at(named), tenant, runId);
      if (there !== undefined && there !== threadId) throw taken(runId);
    }
    await this.#keep(tenant, threadId, runId);
    this.remember(tenant, runId, threadId);
  }

  /** The database of a run. Of one that is nowhere it is one that does not have it. */
  async locate(tenant: string, runId: string): Promise<Partition> {
    const known = this.#known.get(keyOf(tenant, runId));
    if (known !== undefined) return this.#partitions.at(this.placeOfThread(tenant, known));
    const named = namedPlace(runId, this.#partitions.count);
    const there = named === undefined ? undefined : await threadIn(this.#partitions.at(named), tenant, runId);
    const threadId = there ?? (await this.#find(tenant, runId));
    if (threadId === undefined) return this.#partitions.at(this.#homeOf(tenant, runId));
    this.remember(tenant, runId, threadId);
    return this.#partitions.at(this.placeOfThread(tenant, threadId));
  }

  /**
   * Does what answers with nothing, or with `RUN_NOT_FOUND`, where the run is not: where its id leads at once, and elsewhere only
   * if it is not there.
   */
  async ofRun<Answer>(
    tenant: string,
    runId: string,
    work: (partition: Partition) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const key = keyOf(tenant, runId);
    const known = this.#known.get(key);
    const led = known === undefined ? namedPlace(runId, this.#partitions.count) : this.placeOfThread(tenant, known);
    if (led !== undefined) {
      const answer = await unlessMissing(work(this.#partitions.at(led)));
      if (answer !== undefined) return answer;
      this.#known.delete(key);
    }
    return work(await this.locate(tenant, runId));
  }

  /** A thread is gone: the ids of its runs are free again. Younger ones may be of a thread that is just made under its id. */
  async forget(tenant: string, threadId: string): Promise<void> {
    for (const [key, known] of this.#known) {
      if (known === threadId && key.startsWith(keyOf(tenant, ""))) this.#known.delete(key);
    }
    const query = FORGET(this.#now(), tenant, storedId(threadId), UNDER_WAY_MS);
    await Promise.all(this.#partitions.all.map(({ database }) => database.read([query])));
  }

  async #keep(tenant: string, threadId: string, runId: string): Promise<void> {
    const { database } = this.#partitions.at(this.#homeOf(tenant, runId));
    const values = [this.#now(), tenant, escapeText(runId), storedId(threadId)];
    if (rowsOf(await database.read([KEEP(...values)])).length > 0) return;
    const other = await this.#find(tenant, runId);
    // It was let go in between.
    if (other === undefined) return this.#keep(tenant, threadId, runId);
    const rival = await threadIn(this.#partitions.at(this.placeOfThread(tenant, other)), tenant, runId);
    if (rival !== undefined) throw taken(runId);
    const taking = TAKE_OVER(...values, storedId(other), UNDER_WAY_MS);
    if (rowsOf(await database.read([taking])).length === 0) throw taken(runId);
  }

  async #find(tenant: string, runId: string): Promise<string | undefined> {
    const { database } = this.#partitions.at(this.#homeOf(tenant, runId));
    const results = await database.read([FIND(tenant, escapeText(runId))]);
    return rowsOf<{ readonly thread_id: string }>(results)[0]?.thread_id;
  }

  #homeOf(tenant: string, runId: string): number {
    const { count } = this.#partitions;
    return namedPlace(runId, count) ?? hashedPlace([tenant, "run", runId], count);
  }

  remember(tenant: string, runId: string, threadId: string): void {
    const key = keyOf(tenant, runId);
    this.#known.delete(key);
    this.#known.set(key, threadId);
    const oldest = this.#known.size > MAX_KNOWN ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  #now(): number | null {
    return this.#clock?.now() ?? null;
  }
}

/** The thread of a run that has begun in a database, or is queued there. */
async function threadIn({ driver }: Partition, tenant: string, runId: string): Promise<string | undefined> {
  const run = await driver.reader.loadRun(tenant, runId);
  if (run !== undefined) return run.record.thread_id;
  const { rows } = await driver.reader.listEntries(tenant, { run_id: runId }, { offset: 0, limit: 1 });
  return rows[0]?.entry.thread_id;
}

function keyOf(tenant: string, runId: string): string {
  // No id has a path in it.
  return `${tenant}/${runId}`;
}

async function unlessMissing<Answer>(attempt: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (RepriseError.is(error, "RUN_NOT_FOUND")) return undefined;
    throw error;
  }
}

function taken(runId: string): RepriseError {
  const message = `There is a run with the id ${runId} already. Choose another id, or leave it out.`;
  return new RepriseError("RUN_EXISTS", message, { details: { run_id: runId } });
}
