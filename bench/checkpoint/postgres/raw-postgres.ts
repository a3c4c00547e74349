import pg from "pg";
import { ensureSchema } from "../../../packages/stores/src/postgres/open-postgres-store.ts";
import { Pipeline } from "../../../packages/stores/src/postgres/pipeline.ts";
import type { Query } from "../../../packages/stores/src/postgres/statement.ts";
import type { Contestant } from "../contestant.ts";
import type { RecordedTransaction } from "./record-queries.ts";
import { dropSchema, execute, freshSchema } from "./schemas.ts";

export const RAW_AWAITED = "raw pg, each statement awaited";
export const RAW_PIPELINED = "raw pg, two round trips";

type Runs = readonly (readonly RecordedTransaction[])[];
type Play = (client: pg.Client, transaction: RecordedTransaction) => Promise<void>;

/** The store's statements again, as `pg` is used everywhere: one is sent when the one before was answered. */
export function rawAwaited(url: string, runs: Runs): Contestant {
  return bareLoop(url, runs, {
    name: RAW_AWAITED,
    note: "the same statements and bytes, prepared, one transaction a commit, as many connections as runs at a time",
    async play(client, transaction) {
      for (const { statement, values } of transaction.flat()) {
        await client.query({ name: statement.name, text: statement.text, values: [...values] });
      }
    },
  });
}

/** The same with the store's own two round trips a transaction: what is left is what the store does itself. */
export function rawPipelined(url: string, runs: Runs): Contestant {
  return bareLoop(url, runs, {
    name: RAW_PIPELINED,
    note: "the same, and all statements of a round trip are sent before the first answer, as the store does",
    async play(client, transaction) {
      for (const queries of transaction) await send(client, queries);
    },
  });
}

async function send(client: pg.Client, queries: readonly Query[]): Promise<void> {
  const pipeline = new Pipeline(queries);
  // `pg` takes whatever speaks its protocol; the store's interface of it and its own types are not the same.
  client.query(pipeline as unknown as pg.Submittable);
  await pipeline.done;
}

function bareLoop(
  url: string,
  runs: Runs,
  { name, note, play }: { readonly name: string; readonly note: string; readonly play: Play },
): Contestant {
  return {
    name,
    note,
    async open(concurrency) {
      let schema = freshSchema();
      let clients = await connect(url, schema, concurrency);
      let next = 0;
      const close = async (): Promise<void> => {
        await Promise.all(clients.map((client) => client.end()));
        await dropSchema(url, schema);
      };
      return {
        async prepare(count) {
          if (next + count <= runs.length) return;
          await close();
          schema = freshSchema();
          clients = await connect(url, schema, concurrency);
          next = 0;
        },
        async run(onCommit) {
          const transactions = runs[next++];
          const client = clients.pop();
          if (transactions === undefined || client === undefined) throw new Error("There are no more recorded runs.");
          for (const transaction of transactions) {
            await play(client, transaction);
            onCommit?.();
          }
          clients.push(client);
        },
        async countKept() {
          const [row] = await execute(url, `select count(*) as count from "${schema}".changesets`);
          return Number(row?.count);
        },
        close,
      };
    },
  };
}

async function connect(url: string, schema: string, count: number): Promise<pg.Client[]> {
  await ensureSchema({ url, schema });
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  await Promise.all(
    clients.map(async (client) => {
      client.on("error", () => {});
      await client.connect();
      await client.query(`set search_path = "${schema}"; set plan_cache_mode = force_generic_plan; set jit = off;
        set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off`);
    }),
  );
  return clients;
}
