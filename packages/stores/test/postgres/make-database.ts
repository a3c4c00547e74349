import { randomUUID } from "node:crypto";
import { loadPgDriver } from "../../src/postgres/pg-driver.ts";
import { Session } from "../../src/postgres/session.ts";
import { composed } from "../../src/postgres/statement.ts";

/** Makes an empty database on a server, and returns its URL. */
export async function makeDatabase(server: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const Client = await loadPgDriver();
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    const session = await Session.begin(client, { schema: "public", statementTimeoutMs: 30_000 });
    await session.run([composed(`create database ${name}`, [])]);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
