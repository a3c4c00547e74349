/** A framework that can do the run of the workload and keep it. */
export interface Contestant {
  readonly name: string;
  readonly note: string;
  /** Whether a run is more transactions with it than with the others. */
  readonly keepsMore?: true;
  /** For as many runs at a time. */
  open(concurrency: number): Promise<Runner>;
}

export interface Runner {
  /** One run, kept as the contestant keeps it. `onCommit` is called when a transaction of it is durable, if it can be told. */
  run(onCommit?: () => void): Promise<void>;
  /** How many transactions of runs are kept. */
  countKept(): Promise<number>;
  close(): Promise<void>;
}
