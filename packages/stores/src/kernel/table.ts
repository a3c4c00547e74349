/** Rows of one kind by their key, and which of them were put since they were read. */
export class Table<Row> {
  readonly #rows: Map<string, Row>;
  readonly #known: ReadonlySet<string>;
  readonly #changed: Set<string> = new Set();
  readonly #keyOf: (row: Row) => string;

  constructor(rows: readonly Row[], keyOf: (row: Row) => string) {
    this.#rows = new Map(rows.map((row) => [keyOf(row), row]));
    this.#known = new Set(this.#rows.keys());
    this.#keyOf = keyOf;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  get rows(): Row[] {
    return [...this.#rows.values()];
  }

  put(row: Row): void {
    const key = this.#keyOf(row);
    this.#rows.set(key, row);
    this.#changed.add(key);
  }

  changes(): readonly { readonly row: Row; readonly is_new: boolean }[] {
    return [...this.#changed].flatMap((key) => {
      const row = this.#rows.get(key);
      return row === undefined ? [] : [{ row, is_new: !this.#known.has(key) }];
    });
  }
}
