/** A framework that can do the run. */
export interface Contestant {
  readonly name: string;
  readonly note: string;
  /** Makes what one sample needs; neither this nor `close` is timed. */
  open(): Promise<Runner>;
}

export interface Runner {
  /** One run, its stream read to the end. */
  run(): Promise<RunReport>;
  close(): Promise<void>;
}

/** What a reader of the stream saw. */
export interface RunReport {
  readonly text: string;
  readonly events: number;
}

/** A runner that holds nothing. */
export function statelessRunner(run: () => Promise<RunReport>): Runner {
  return { run, close: async () => undefined };
}
