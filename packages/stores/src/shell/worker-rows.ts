/** A worker as it is stored. */
export interface WorkerRow {
  readonly owner: string;
  /** Tells processes apart that came under the same name. */
  readonly session: string;
  /** In the store's time. */
  readonly until: number;
  /** What it can run, as JSON. */
  readonly abilities: string;
}

/** A worker that says that it is alive. */
export interface AnnouncedWorker extends Pick<WorkerRow, "owner" | "session"> {
  readonly lease_ms: number;
  /** Null to leave them as they are. */
  readonly abilities: string | null;
}

/** The workers of a store, as rows. Each operation is a transaction. */
export interface WorkerRows {
  /** Everybody who came and has not left, also who has fallen silent. */
  list(): Promise<readonly WorkerRow[]>;
  /** Writes a row in the place of the one of a session, null for none. False, and nothing is written, when another one is there. */
  put(worker: AnnouncedWorker, replaced: string | null): Promise<boolean>;
  remove(owner: string, session: string): Promise<void>;
}

/** The hold that a process has on a name, which the system ends with the process. */
export interface NameHold {
  /** Whether no other live process has it. */
  readonly isOurs: boolean;
  leave(): Promise<void>;
}
