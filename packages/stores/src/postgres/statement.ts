import { createHash } from "node:crypto";

/** A value as it goes to the server: text, or bytes in Postgres' own form. */
export type SqlValue = string | number | Uint8Array | null;

/** A value as it comes back. */
export type SqlCell = string | number | boolean | Uint8Array | null;

export type SqlRow = Readonly<Record<string, SqlCell>>;

/** A statement. One with a name is planned once a connection; one without, each time. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement with its values, ready to be sent. */
export interface Query {
  readonly statement: Statement;
  readonly values: readonly SqlValue[];
}

/** Makes a query out of the values of a statement. */
export type Prepared = (...values: readonly SqlValue[]) => Query;

/** A statement that is used again and again. Its name says what it is, so that two versions of us can share a connection. */
export function prepared(text: string): Prepared {
  const statement = { name: createHash("sha256").update(text).digest("hex").slice(0, 24), text };
  return (...values) => ({ statement, values });
}

/** A statement that is put together from what was asked for: there are too many of them to keep. */
export function composed(text: string, values: readonly SqlValue[]): Query {
  return { statement: { name: "", text }, values };
}
