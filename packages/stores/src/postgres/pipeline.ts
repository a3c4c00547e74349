import type { PgConnection, PgField, PgSubmittable } from "./pg-driver.ts";
import type { Query, SqlCell, SqlRow, SqlValue } from "./statement.ts";

/** What a connection knows of the statements it was sent. */
interface KnownStatements {
  /** Those it has, with the columns of their rows. */
  readonly fields: Map<string, readonly PgField[]>;
  /** Those it may have: an answer before theirs was an error. */
  readonly doubtful: Set<string>;
}

const KNOWN = new WeakMap<PgConnection, KnownStatements>();

function knownOf(connection: PgConnection): KnownStatements {
  const known = KNOWN.get(connection) ?? { fields: new Map(), doubtful: new Set() };
  KNOWN.set(connection, known);
  return known;
}

const NO_FIELDS: readonly PgField[] = [];

/**
 * Several statements in one round trip: all of them are sent, then one `Sync`. When one fails, the server skips the rest, so
 * that a commit at the end happens only after everything before it did.
 */
export class Pipeline implements PgSubmittable {
  readonly done: Promise<readonly (readonly SqlRow[])[]>;
  readonly queries: readonly Query[];
  readonly #results: SqlRow[][];
  readonly #sent = new Set<string>();
  #resolve: (results: readonly (readonly SqlRow[])[]) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #known: KnownStatements = { fields: new Map(), doubtful: new Set() };
  #fields: readonly PgField[] | undefined;
  #current = 0;

  constructor(queries: readonly Query[]) {
    this.queries = queries;
    this.#results = queries.map(() => []);
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: PgConnection): void {
    this.#known = knownOf(connection);
    connection.stream.cork();
    for (const query of this.queries) this.#send(connection, query);
    connection.sync();
    connection.stream.uncork();
  }

  #send(connection: PgConnection, { statement, values }: Query): void {
    const { name, text } = statement;
    if (name === "" || !(this.#known.fields.has(name) || this.#sent.has(name))) {
      if (this.#known.doubtful.delete(name)) connection.close({ type: "S", name });
      connection.parse({ name, text, types: [] });
      connection.describe({ type: "S", name });
      this.#sent.add(name);
    }
    connection.bind({ statement: name, values: values.map(encodeValue) });
    connection.execute({});
  }

  handleRowDescription({ fields }: { readonly fields: readonly PgField[] }): void {
    this.#fields = fields;
  }

  handleDataRow({ fields: cells }: { readonly fields: readonly (string | null)[] }): void {
    const row: Record<string, SqlCell> = {};
    let index = 0;
    for (const { name, dataTypeID } of this.#currentFields) {
      row[name] = decodeCell(cells[index] ?? null, dataTypeID);
      index += 1;
    }
    this.#results[this.#current]?.push(row);
  }

  handleCommandComplete(): void {
    const name = this.#currentName;
    if (name !== "" && !this.#known.fields.has(name)) this.#known.fields.set(name, this.#fields ?? NO_FIELDS);
    this.#fields = undefined;
    this.#current += 1;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  handlePortalSuspended(): void {
    // Never asked for: every portal is read to its end.
  }

  handleError(error: Error): void {
    for (const name of this.#sent) if (!this.#known.fields.has(name)) this.#known.doubtful.add(name);
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#results);
  }

  get #currentName(): string {
    return this.queries[this.#current]?.statement.name ?? "";
  }

  get #currentFields(): readonly PgField[] {
    return this.#fields ?? this.#known.fields.get(this.#currentName) ?? NO_FIELDS;
  }
}

function encodeValue(value: SqlValue): string | Uint8Array | null {
  return typeof value === "number" ? String(value) : value;
}

const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);
const BOOLEAN = 16;
const BYTES = 17;

function decodeCell(text: string | null, type: number): SqlCell {
  if (text === null) return null;
  if (NUMBERS.has(type)) return Number(text);
  if (type === BOOLEAN) return text === "t";
  // Written as \x and two digits a byte.
  return type === BYTES ? Buffer.from(text.slice(2), "hex") : text;
}
