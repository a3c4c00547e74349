import { createHash } from "node:crypto";
import { invalidRequest, RepriseError } from "@reprise/contracts";
import type { Database } from "./database.ts";
import { codeOf, fromPostgresError } from "./postgres-errors.ts";
import { SCHEMA_STEPS } from "./schema.ts";
import type { Session } from "./session.ts";
import { composed, type Query } from "./statement.ts";

/** A name that needs no thought, in SQL or anywhere else. */
export function assertSchemaName(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,50}$/.test(schema) && !schema.startsWith("pg_")) return;
  throw invalidRequest(`Cannot use the schema ${JSON.stringify(schema)}: its name must be of a-z, 0-9 and _.`);
}

/** Brings the tables of a schema up to date. Safe when several processes do it at once, and idempotent. */
export async function migrate(database: Database, schema: string): Promise<void> {
  try {
    await database.use(async (session) => {
      const done = await stepOf(session, schema);
      if (done === SCHEMA_STEPS.length) return;
      await session.run([sql("begin"), lockSchema(schema)]);
      try {
        await makeTables(session, schema);
        await session.run([sql("commit")]);
      } catch (error) {
        await session.rollBack();
        // The tables can be read by others than those who may change them.
        if (codeOf(error) === DENIED) throw outdated(schema, done, error);
        throw error;
      }
    });
  } catch (error) {
    throw fromPostgresError(error);
  }
}

/** Refuses a schema that has to be brought up to date first. Changes nothing. */
export async function assertUpToDate(database: Database, schema: string): Promise<void> {
  try {
    const step = await database.use((session) => stepOf(session, schema));
    if (step < SCHEMA_STEPS.length) throw outdated(schema, step);
  } catch (error) {
    throw fromPostgresError(error);
  }
}

/** The server's code for a missing right. */
const DENIED = "42501";

export function outdated(schema: string, step: number, cause?: unknown): RepriseError {
  const [found, needed] = [step === 0 ? "has no tables" : `is at step ${step}`, `needs step ${SCHEMA_STEPS.length}`];
  const reason = cause === undefined ? "" : ", and this role may not change it";
  return new RepriseError("SCHEMA_OUTDATED", `The schema ${schema} ${found}, and this version ${needed}${reason}.`, {
    details: { schema: step, needed: SCHEMA_STEPS.length },
    cause,
  });
}

async function makeTables(session: Session, schema: string): Promise<void> {
  // Another process may have been quicker.
  const done = await stepOf(session, schema);
  if (done === SCHEMA_STEPS.length) return;
  // To make a schema takes a right that to use one does not: an operator may have made it.
  const [[found] = []] = await session.run([composed("select to_regnamespace($1) is not null as found", [schema])]);
  const made = found?.found === true ? [] : [sql(`create schema "${schema}"`)];
  const steps = SCHEMA_STEPS.slice(done)
    .flatMap((step) => step.split(";\n"))
    .filter((text) => text.trim() !== "");
  await session.run([
    ...made,
    sql(
      "create table if not exists schema_steps (step integer primary key, made_at timestamptz not null default now())",
    ),
    ...steps.map(sql),
    composed("insert into schema_steps (step) select generate_series($1::int, $2::int)", [
      done + 1,
      SCHEMA_STEPS.length,
    ]),
  ]);
}

/** How many steps of the schema are behind it. */
async function stepOf(session: Session, schema: string): Promise<number> {
  const table = `"${schema}".schema_steps`;
  const [[found] = []] = await session.run([
    composed(
      `select to_regclass($1) is not null as is_ours,
         (select count(*) from pg_class where relnamespace = to_regnamespace($2) and relkind in ('r', 'p')) as tables`,
      [table, schema],
    ),
  ]);
  if (found?.is_ours !== true) {
    if (Number(found?.tables ?? 0) > 0) throw invalidRequest(`The schema ${schema} has tables of something else.`);
    return 0;
  }
  const [[last] = []] = await session.run([sql(`select coalesce(max(step), 0) as step from ${table}`)]);
  const step = Number(last?.step ?? 0);
  if (step > SCHEMA_STEPS.length) {
    const message = `The schema ${schema} was made by a newer version: it is at ${step}, this one knows ${SCHEMA_STEPS.length}.`;
    throw new RepriseError("FORMAT_TOO_NEW", message, {
      details: { schema: step, supported: SCHEMA_STEPS.length },
    });
  }
  return step;
}

/** A process that creates or changes this schema waits for others that do, until the transaction ends. */
export function lockSchema(schema: string): Query {
  const number = createHash("sha256").update(`reprise schema ${schema}`).digest().readBigInt64BE(0);
  return composed("select pg_advisory_xact_lock($1::bigint)", [String(number)]);
}

function sql(text: string): Query {
  return composed(text, []);
}
