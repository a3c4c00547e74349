import type { BlobRows } from "../../shell/blob-rows.ts";
import type { Database } from "../database.ts";
import type { PostgresDriver } from "../postgres-driver.ts";

/** One of the databases of a partitioned store, open. */
export interface Partition {
  readonly driver: PostgresDriver;
  readonly database: Database;
  readonly blobs: BlobRows;
}

/** The databases of a store, of which there is always a first. */
export class Partitions {
  readonly all: readonly Partition[];
  readonly #first: Partition;

  constructor(first: Partition, others: readonly Partition[]) {
    this.#first = first;
    this.all = [first, ...others];
  }

  get count(): number {
    return this.all.length;
  }

  /** Has what belongs to no thread and has to be in one place: workers, and the clock of what is of no thread. */
  get first(): Partition {
    return this.#first;
  }

  at(place: number): Partition {
    return this.all[place] ?? this.#first;
  }
}
