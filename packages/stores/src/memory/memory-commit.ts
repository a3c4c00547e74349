import {
  type AgentEvent,
  type Changeset,
  chainDigest,
  contentDigest,
  emptyChangeset,
  FIRST_DIGEST,
  type Message,
  type StoredChangeset,
  type ToolCallRecord,
} from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import { hashText } from "../kernel/hash-text.ts";
import type { SealedSegment } from "../kernel/sealed-changeset.ts";
import type { CommitWrite } from "../kernel/write.ts";
import type { CommitCell, CommitContent } from "../tables/cells.ts";
import { freezeDeep } from "../tables/freeze-deep.ts";

/** A commit that keeps its changeset. Digests are computed on demand, because most are never read. */
export class MemoryCommit implements CommitCell, CommitContent {
  readonly version: number;
  readonly epoch: number;
  readonly first_position: number;
  readonly segments: readonly SealedSegment[];
  is_pruned = false;
  #changeset: Changeset;
  #digest: string | undefined;
  /** The commit before it, until the digest is made. */
  #previous: MemoryCommit | undefined;

  constructor({ version, epoch, first_position, changeset }: CommitWrite, open: Changeset, previous?: MemoryCommit) {
    this.version = version;
    this.epoch = epoch;
    this.first_position = first_position;
    this.segments = changeset.segments;
    this.#changeset = open;
    this.#previous = previous;
    // Kept by reference, so no caller may write to it any more: elsewhere a database would have its own copy. Events are left out:
    // they are the bulk, made by the runtime alone, and nothing is computed from them again.
    for (const part of [open.messages, open.patches, open.runs, open.calls]) freezeDeep(part);
  }

  get changeset_id(): string {
    return this.#changeset.changeset_id;
  }

  get run_id(): string | null {
    return this.#changeset.run_id;
  }

  get message_count(): number {
    return this.#changeset.messages.length;
  }

  get shown_count(): number {
    return this.#changeset.messages.filter(({ visibility }) => visibility !== "internal").length;
  }

  get has_calls(): boolean {
    return this.#changeset.calls.length > 0;
  }

  get has_patches(): boolean {
    return this.#changeset.patches.length > 0;
  }

  get digest(): string {
    const missing: MemoryCommit[] = [];
    let known: MemoryCommit | undefined = this;
    for (; known !== undefined && known.#digest === undefined; known = known.#previous) missing.push(known);
    let digest = known === undefined ? FIRST_DIGEST : (known.#digest ?? FIRST_DIGEST);
    for (const commit of missing.reverse()) {
      digest = chainDigest(digest, contentDigest(commit.#changeset, hashText), hashText);
      commit.#digest = digest;
      commit.#previous = undefined;
    }
    return digest;
  }

  /** Forgets all but the messages and the calls. */
  prune(): void {
    // It cannot be made afterwards.
    void this.digest;
    const { thread_id, run_id, changeset_id, messages, calls } = this.#changeset;
    this.#changeset = { ...emptyChangeset(thread_id, run_id, changeset_id), messages, calls };
  }

  load(): this {
    return this;
  }

  messages(): readonly Message[] {
    return this.#changeset.messages;
  }

  calls(): readonly ToolCallRecord[] {
    return this.#changeset.calls;
  }

  patches(): readonly TrackedPatch[] {
    return this.#changeset.patches;
  }

  events(): readonly AgentEvent[] {
    return this.#changeset.events;
  }

  changeset(): StoredChangeset {
    return { ...this.#changeset, version: this.version, digest: this.digest };
  }
}
