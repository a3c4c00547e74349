import { randomUUID } from "node:crypto";
import { RepriseError } from "@reprise/contracts";
import type { Database } from "../database.ts";
import { lockSchema, outdated } from "../migrate.ts";
import { codeOf, fromPostgresError } from "../postgres-errors.ts";
import { rowsOf, type Session } from "../session.ts";
import { composed, type Query } from "../statement.ts";

/** What a database knows about the set it is one of. */
interface Member {
  readonly set_id: string;
  /** From 0. */
  readonly position: number;
  readonly count: number;
  /** Whether each database of the set has its place: from then on none can come in the place of another. */
  readonly is_complete: boolean;
}

/** What only databases of a set have. Whatever else they have is in the steps of the schema. */
const TABLES = [
  `create table if not exists partition_set (is_only boolean primary key default true check (is_only),
    set_id text collate "C" not null, position integer not null, count integer not null, is_complete boolean not null)`,
  `create table if not exists run_places (made_at double precision not null, tenant text collate "C" not null,
    run_id text collate "C" not null, thread_id text collate "C" not null, primary key (tenant, run_id))`,
  "create index if not exists run_places_by_thread on run_places (md5(thread_id))",
];

const IS_USED = `select exists (select from threads) or exists (select from documents) or exists (select from blobs)
  or exists (select from retired_epochs) as is_used`;

/** The server's code for a missing right. */
const DENIED = "42501";

/** Refuses a database of a set to those who open it alone: they would find a part of the threads, and put new ones anywhere. */
export async function assertAlone(database: Database, schema: string): Promise<void> {
  const member = await database.use((session) => readMember(session, schema)).catch(rethrow);
  if (member === undefined) return;
  throw changed(
    "count",
    `The database is ${member.position + 1} of ${member.count} of a partitioned store, and it is opened alone.`,
    { count: 1, stored_count: member.count },
  );
}

/**
 * Gives each database its place in the set, or checks that each has the one that it is opened at. Safe when several processes do it
 * at once; one that dies in the middle leaves a set that the next one completes.
 */
export async function joinSet(
  databases: readonly Database[],
  schema: string,
  { migrates }: { readonly migrates: boolean },
): Promise<void> {
  const read = (database: Database): Promise<Member | undefined> =>
    database.use((session) => readMember(session, schema)).catch(rethrow);
  const members = await Promise.all(databases.map(read));
  const first = members.find((member) => member !== undefined);
  for (const [position, member] of members.entries()) assertPlace(member, first, position, members.length);
  if (members.every((member) => member?.is_complete === true)) return;
  if (!migrates) throw outdated(schema, 0);
  let setId = first?.set_id ?? randomUUID();
  for (const [position, database] of databases.entries()) {
    const asked = { set_id: setId, position, count: databases.length, is_complete: false };
    const joined = await database.use((session) => join(session, schema, asked)).catch(rethrow);
    // Another process may have begun the set meanwhile: the first database decides which set it is.
    if (position === 0) setId = joined.set_id;
    assertPlace(joined, { ...asked, set_id: setId }, position, databases.length);
  }
  for (const database of databases) {
    await database.use((session) => session.run([sql("update partition_set set is_complete = true")])).catch(rethrow);
  }
}

async function readMember(session: Session, schema: string): Promise<Member | undefined> {
  // Not by `to_regclass` alone: what a connection remembers of a table that was not there outlives waiting for a lock.
  const [found] = await session.run([
    composed("select relname from pg_class where relname = 'partition_set' and relnamespace = to_regnamespace($1)", [
      `"${schema}"`,
    ]),
  ]);
  if (found === undefined || found.length === 0) return undefined;
  return rowsOf<Member>(await session.run([sql("select set_id, position, count, is_complete from partition_set")]))[0];
}

/** In one transaction: the tables of a set, and the place, unless there is one already. */
async function join(session: Session, schema: string, asked: Member): Promise<Member> {
  try {
    await session.run([sql("begin"), lockSchema(schema)]);
    const found = await readMember(session, schema);
    if (found === undefined) {
      await assertEmpty(session, asked);
      await session.run([
        ...TABLES.map(sql),
        composed(
          "insert into partition_set (set_id, position, count, is_complete) values ($1, $2::int, $3::int, false)",
          [asked.set_id, asked.position, asked.count],
        ),
      ]);
    }
    await session.run([sql("commit")]);
    return found ?? asked;
  } catch (error) {
    await session.rollBack();
    if (codeOf(error) === DENIED) throw outdated(schema, 0, error);
    throw error;
  }
}

async function assertEmpty(session: Session, { position, count }: Member): Promise<void> {
  const [used] = rowsOf<{ readonly is_used: boolean }>(await session.run([sql(IS_USED)]));
  if (used?.is_used !== true) return;
  throw changed("not_empty", `Database ${position + 1} of ${count} has data of a store of its own.`, {
    position,
    count,
  });
}

/** Compares what a database says with where it is in the list. One that says nothing may join while the set is not complete. */
function assertPlace(member: Member | undefined, first: Member | undefined, position: number, count: number): void {
  const where = `Database ${position + 1} of ${count}`;
  if (member === undefined) {
    if (first?.is_complete !== true) return;
    throw changed("missing", `${where} is of no partitioned store, and the others are of one that is complete.`, {
      position,
      count,
      stored_count: first.count,
    });
  }
  const stored = { position, count, stored_position: member.position, stored_count: member.count };
  if (member.count !== count)
    throw changed("count", `The store was made of ${member.count} databases, and is opened with ${count}.`, stored);
  if (first !== undefined && member.set_id !== first.set_id)
    throw changed("set", `${where} is of another partitioned store than the others.`, stored);
  if (member.position !== position)
    throw changed("order", `${where} is number ${member.position + 1} of its store.`, stored);
}

function changed(
  reason: "count" | "order" | "set" | "missing" | "not_empty",
  what: string,
  details: Readonly<Record<string, number>>,
): RepriseError {
  const remedy =
    reason === "not_empty"
      ? "Begin a partitioned store with empty databases."
      : "Name the databases that it was made of, all of them and in the same order. Their number stays; each can move to another server.";
  return new RepriseError("PARTITIONS_CHANGED", `${what} ${remedy}`, { details: { reason, ...details } });
}

function rethrow(error: unknown): never {
  throw fromPostgresError(error);
}

function sql(text: string): Query {
  return composed(text, []);
}
