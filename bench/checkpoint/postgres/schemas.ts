import pg from "pg";

let schemas = 0;

/** The name of an unused schema. */
export function freshSchema(): string {
  schemas += 1;
  return `bench_${schemas}`;
}

export async function dropSchema(url: string, schema: string): Promise<void> {
  await execute(url, `drop schema if exists "${schema}" cascade`);
}

/** One statement on a connection of its own. */
export async function execute(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Readonly<Record<string, unknown>>>(text)).rows;
  } finally {
    await client.end();
  }
}
