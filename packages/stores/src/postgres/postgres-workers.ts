import type { Clock } from "@reprise/contracts";
import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { WorkerRow, WorkerRows } from "../shell/worker-rows.ts";
import type { Database } from "./database.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";
import { NOW } from "./table.ts";

const LIST = prepared("select owner, session, until, abilities from workers where md5(owner) >= ''");

/** A statement that is sent again after a lost connection finds its own row, which has its session. */
const INSERT = prepared(`insert into workers (owner, session, until, abilities)
  values ($1, $2, coalesce($3::float8, ${NOW}) + $4::float8, coalesce($5, '{}'))
  on conflict (md5(owner)) do update set until = excluded.until where workers.session = excluded.session returning session`);

const UPDATE = prepared(`update workers
  set session = $2, until = coalesce($3::float8, ${NOW}) + $4::float8, abilities = coalesce($5, abilities)
  where md5(owner) = md5($1) and (session = $6 or session = $2) returning session`);

const REMOVE = prepared("delete from workers where md5(owner) = md5($1) and session = $2");

/** The workers of a Postgres database: each operation is one statement. `clock` is the store's time, the server's unless given. */
export function createPostgresWorkers(database: Database, clock: Pick<Clock, "now"> | undefined): WorkerRows {
  const now = (): number | null => clock?.now() ?? null;
  return {
    async list() {
      const rows = rowsOf<WorkerRow>(await database.read([LIST()]));
      return rows.map((row) => ({ ...row, owner: unescapeText(row.owner) }));
    },
    async put({ owner, session, lease_ms, abilities }, replaced) {
      const values = [escapeText(owner), session, now(), lease_ms, abilities];
      const write = replaced === null ? INSERT(...values) : UPDATE(...values, replaced);
      return rowsOf(await database.read([write])).length > 0;
    },
    async remove(owner, session) {
      await database.read([REMOVE(escapeText(owner), session)]);
    },
  };
}
