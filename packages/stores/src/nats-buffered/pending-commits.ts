import type { ThreadRequests } from "../kernel/request.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { BufferBounds } from "./buffer-ports.ts";

/** A commit that is acknowledged and waits for its place in the database. */
export interface PendingCommit {
  readonly changeset: SealedChangeset;
  /** The version it makes. */
  readonly version: number;
  /** The epoch of the claim under which it was written. */
  readonly epoch: number;
  readonly bytes: number;
}

/** The commits of a thread that wait, in order. They follow each other and the version in the database. */
export class PendingCommits {
  #commits: readonly PendingCommit[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#commits.length === 0;
  }

  /** As they are now; the list never changes. */
  get list(): readonly PendingCommit[] {
    return this.#commits;
  }

  has(changesetId: string): boolean {
    return this.#commits.some(({ changeset }) => changeset.changeset_id === changesetId);
  }

  hasRun(runId: string): boolean {
    return this.#commits.some(({ changeset }) => changeset.run_id === runId);
  }

  /** The highest version that was acknowledged under a claim. */
  lastUnder(epoch: number): number | undefined {
    const last = this.#commits.at(-1);
    return last?.epoch === epoch ? last.version : undefined;
  }

  isFull({ maxCommits, maxBytes }: BufferBounds): boolean {
    return this.#commits.length >= maxCommits || this.#bytes >= maxBytes;
  }

  add(commit: PendingCommit): void {
    this.#commits = [...this.#commits, commit];
    this.#bytes += commit.bytes;
  }

  clear(): void {
    this.#commits = [];
    this.#bytes = 0;
  }

  /** As the database takes them: each says what it follows, and under whose claim. */
  toCommits(): readonly ThreadRequests["commit"][] {
    return this.#commits.map(({ changeset, version, epoch }) => ({
      changeset,
      guard: { expected: version - 1, epoch },
    }));
  }
}
