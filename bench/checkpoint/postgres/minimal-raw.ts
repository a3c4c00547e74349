import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Contestant } from "../contestant.ts";
import type { MinimalRows } from "../measure/cold-load.ts";
import { dropSchema, execute, freshSchema } from "./schemas.ts";

export const MINIMAL_POSTGRES = "minimal raw, pg";
export const MINIMAL_POSTGRES_EVENTS = "minimal raw with events, pg";

/** The floor: a commit is one insert of its payload, committed by itself, in one round trip. */
export function minimalPostgres(url: string, payloads: readonly string[], name: string = MINIMAL_POSTGRES): Contestant {
  return {
    name,
    note: "one prepared insert of the payload a commit, committed by itself; as many connections as runs at a time",
    async open(concurrency) {
      const schema = await createTable(url);
      const text = insertInto(schema);
      const clients = await connect(url, concurrency);
      return {
        async run(onCommit) {
          const client = clients.pop();
          if (client === undefined) throw new Error("More runs at a time than connections.");
          const thread = randomUUID();
          for (const [index, payload] of payloads.entries()) {
            await client.query({ name: "append", text, values: [thread, index + 1, payload] });
            onCommit?.();
          }
          clients.push(client);
        },
        async countKept() {
          const [row] = await execute(url, `select count(*) as count from "${schema}".commits`);
          return Number(row?.count);
        },
        async close() {
          await Promise.all(clients.map((client) => client.end()));
          await dropSchema(url, schema);
        },
      };
    },
  };
}

/** Texts as rows of the same table, a row each, to be read again. */
export async function minimalPostgresRows(url: string, texts: readonly string[]): Promise<MinimalRows> {
  const schema = await createTable(url);
  const [client] = await connect(url, 1);
  if (client === undefined) throw new Error("There is no connection.");
  await client.query("begin");
  for (const [index, text] of texts.entries()) await client.query(insertInto(schema), ["thread", index + 1, text]);
  await client.query("commit");
  const select = `select payload from "${schema}".commits order by id`;
  return {
    async read() {
      const { rows } = await client.query<{ readonly payload: string }>({ name: "read", text: select });
      return rows.map(({ payload }) => payload);
    },
    async close() {
      await client.end();
      await dropSchema(url, schema);
    },
  };
}

/** In a new schema; returns its name. */
async function createTable(url: string): Promise<string> {
  const schema = freshSchema();
  await execute(url, `create schema "${schema}"; create table "${schema}".commits (${COLUMNS})`);
  return schema;
}

function insertInto(schema: string): string {
  return `insert into "${schema}".commits (thread, version, payload) values ($1, $2, $3)`;
}

const COLUMNS = `id bigint generated always as identity primary key, thread text not null, version int not null,
  payload text not null`;

async function connect(url: string, count: number): Promise<pg.Client[]> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  await Promise.all(
    clients.map(async (client) => {
      client.on("error", () => {});
      await client.connect();
    }),
  );
  return clients;
}
