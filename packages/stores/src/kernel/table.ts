/** Up to so many rows are looked through; more get an index. */
const FEW_ROWS = 8;

/** Rows of one kind by their key, and which of them were put since they were read. Nearly always there are one or two. */
export class Table<Row> {
  readonly #stored: readonly Row[];
  readonly #keyOf: (row: Row) => string;
  #changed: Map<string, Row> | undefined;
  #index: ReadonlyMap<string, Row> | undefined;

  constructor(rows: readonly Row[], keyOf: (row: Row) => string) {
    this.#stored = rows;
    this.#keyOf = keyOf;
  }

  get hasChanges(): boolean {
    return this.#changed !== undefined;
  }

  get(key: string): Row | undefined {
    return this.#changed?.get(key) ?? this.before(key);
  }

  /** A row as it was read. */
  before(key: string): Row | undefined {
    if (this.#stored.length <= FEW_ROWS) return this.#stored.find((row) => this.#keyOf(row) === key);
    this.#index ??= new Map(this.#stored.map((row) => [this.#keyOf(row), row]));
    return this.#index.get(key);
  }

  /** Those that were read, as they are now, and then those that were added. */
  get rows(): Row[] {
    const changed = this.#changed;
    if (changed === undefined) return [...this.#stored];
    const rows = this.#stored.map((row) => changed.get(this.#keyOf(row)) ?? row);
    for (const [key, row] of changed) if (this.before(key) === undefined) rows.push(row);
    return rows;
  }

  put(row: Row): void {
    this.#changed ??= new Map();
    this.#changed.set(this.#keyOf(row), row);
  }

  changes(): readonly { readonly row: Row; readonly before: Row | undefined }[] {
    const changes: { readonly row: Row; readonly before: Row | undefined }[] = [];
    for (const [key, row] of this.#changed ?? []) changes.push({ row, before: this.before(key) });
    return changes;
  }
}
