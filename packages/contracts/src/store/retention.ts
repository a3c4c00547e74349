/**
 * The data that a store may forget. Parts without a limit are kept for ever.
 *
 * - The history of a thread is cut between two of its runs, and never above where an open run or a fork began. The messages
 *   and the state of a cut thread stay, and so do the records of runs, calls and decisions; the patches, changesets and events
 *   up to the cut are gone (`VERSION_GONE`), and a changeset id that was committed stays known.
 * - A mailbox entry that is over can be forgotten; its dedupe key may then be used again.
 * - A thread goes whole, unless it has an open run or something queued.
 * - A document whose time is up is forgotten by every pruning, and so is a blob that no thread has referred to for a day.
 */
export interface Retention {
  /** Forgets the history before the last run that began longer ago than this. */
  readonly historyAgeMs?: number;
  /** Forgets the history before the last run that began this many versions ago, or more. */
  readonly historyVersions?: number;
  /** Entries that ended longer ago than this. */
  readonly entryAgeMs?: number;
  /** Threads that nothing has changed for longer than this. */
  readonly threadAgeMs?: number;
}

/** Counts the forgotten data of threads. */
export interface PrunedThreads {
  readonly versions: number;
  readonly entries: number;
  readonly threads: number;
}

/** Counts all forgotten data. */
export interface Pruned extends PrunedThreads {
  /** Documents whose time was up. */
  readonly documents: number;
  /** Blobs that no thread referred to. */
  readonly blobs: number;
}
