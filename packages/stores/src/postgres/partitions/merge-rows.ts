import type { Cut, RowPage } from "../../shell/row-reader.ts";

/** How many rows of one database are held at a time, beside those that are asked for. */
const CHUNK = 200;

/** Reads a part of the list that one database has. */
export type ReadList<Row> = (cut: Cut) => Promise<RowPage<Row>>;

/**
 * A part of the list that several databases have together. Each has its rows in the order of the list; `compare` decides between
 * rows of two of them, and of equals those of the earlier database come first. So every part is cut from the same whole. Rows before the
 * part are read and passed over.
 */
export async function mergeRows<Row>(
  lists: readonly ReadList<Row>[],
  compare: (one: Row, other: Row) => number,
  { offset, limit }: Cut,
): Promise<RowPage<Row>> {
  const first = Math.min(offset + limit, Math.max(limit, CHUNK));
  const sources = await Promise.all(
    lists.map(async (read) => new Source(read, await read({ offset: 0, limit: first }))),
  );
  const total = sources.reduce((sum, source) => sum + source.total, 0);
  const rows: Row[] = [];
  if (offset >= total) return { rows, total };
  for (let position = 0; rows.length < limit; position += 1) {
    let next: Source<Row> | undefined;
    for (const source of sources) {
      const row = await source.peek();
      const best = await next?.peek();
      if (row !== undefined && (best === undefined || compare(row, best) < 0)) next = source;
    }
    const row = next?.take();
    if (row === undefined) break;
    if (position >= offset) rows.push(row);
  }
  return { rows, total };
}

/** What one database has of a list, read on as it is used up. */
class Source<Row> {
  readonly total: number;
  readonly #read: ReadList<Row>;
  #rows: readonly Row[];
  /** Where the rows that are held begin, and which of them is next. */
  #start = 0;
  #at = 0;

  constructor(read: ReadList<Row>, { rows, total }: RowPage<Row>) {
    this.#read = read;
    this.#rows = rows;
    this.total = total;
  }

  async peek(): Promise<Row | undefined> {
    const isUsedUp = this.#at >= this.#rows.length && this.#rows.length > 0;
    if (isUsedUp && this.#start + this.#at < this.total) {
      this.#start += this.#at;
      this.#at = 0;
      this.#rows = (await this.#read({ offset: this.#start, limit: CHUNK })).rows;
    }
    return this.#rows[this.#at];
  }

  take(): Row | undefined {
    const row = this.#rows[this.#at];
    this.#at += 1;
    return row;
  }
}
