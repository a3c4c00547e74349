import type { AgentEvent, ChangesetTexts, Message, StoredChangeset, ToolCallRecord } from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import { checksumOf } from "../../codec/checksum.ts";
import { optionalText } from "../../codec/columns/column-values.ts";
import { COMMIT_TEXTS, checksumsOf } from "../../codec/columns/commit-columns.ts";
import {
  type OpenedColumns,
  openCalls,
  openCommit,
  openCommitEvents,
  openMessages,
  openPatches,
} from "../../codec/open-commit.ts";
import type { StoredText } from "../../codec/stored-text.ts";
import type { SealedSegment } from "../../kernel/sealed-changeset.ts";
import type { CommitCell, CommitContent, SnapshotCell } from "../../tables/cells.ts";
import { readItem } from "./line-content.ts";
import type { LogRange } from "./log-range.ts";
import type { StoredCommit, StoredSnapshot } from "./stored-write.ts";
import type { ThreadLog } from "./thread-log.ts";

/** A commit whose texts stay in the log until they are wanted. Its line is another when the log is written anew. */
export class FiledCommit implements CommitCell {
  readonly #log: ThreadLog;
  stored: StoredCommit;
  line: LogRange;
  is_pruned: boolean;

  constructor(log: ThreadLog, stored: StoredCommit, line: LogRange) {
    this.#log = log;
    this.stored = stored;
    this.line = line;
    this.is_pruned = stored.is_pruned === true;
  }

  moveTo(stored: StoredCommit, line: LogRange): void {
    this.stored = stored;
    this.line = line;
  }

  get version(): number {
    return this.stored.version;
  }

  get changeset_id(): string {
    return this.stored.changeset_id;
  }

  get run_id(): string | null {
    return this.stored.run_id;
  }

  get epoch(): number {
    return this.stored.epoch;
  }

  get digest(): string {
    return this.stored.digest;
  }

  get first_position(): number {
    return this.stored.first_position;
  }

  get message_count(): number {
    return this.stored.message_ids.length;
  }

  get shown_count(): number {
    return this.stored.shown_count;
  }

  get segments(): readonly SealedSegment[] {
    return this.stored.segments;
  }

  get has_calls(): boolean {
    return this.stored.has_calls;
  }

  get has_patches(): boolean {
    return this.stored.has_patches;
  }

  load(): Promise<CommitContent | undefined> {
    return this.#log.load(this, (content) => new LoggedContent(this, this.#log.threadId, this.textsIn(content)));
  }

  /** Its texts, part by part, as they are in the content of its line. */
  textsIn(content: string): readonly ChangesetTexts[] {
    return this.stored.parts.map((part) => readItem(content, part, COMMIT_TEXTS));
  }
}

/** The texts of a commit as they were read. The line's checksum was right, so they are: theirs are only made for the codec. */
class LoggedContent implements CommitContent {
  readonly #parts: readonly OpenedColumns[];
  readonly #threadId: string;

  constructor({ stored }: FiledCommit, threadId: string, texts: readonly ChangesetTexts[]) {
    const { version, changeset_id, run_id, digest, format } = stored;
    const head = { version, changeset_id, run_id: optionalText(run_id), digest, format };
    this.#parts = texts.map((part) => ({ ...head, ...part, checksums: checksumsOf(part) }));
    this.#threadId = threadId;
  }

  messages(): readonly Message[] {
    return this.#parts.flatMap(openMessages);
  }

  calls(): readonly ToolCallRecord[] {
    return this.#parts.flatMap(openCalls);
  }

  patches(): readonly TrackedPatch[] {
    return this.#parts.flatMap(openPatches);
  }

  events(): readonly AgentEvent[] {
    return openCommitEvents(this.#parts, this.#threadId);
  }

  changeset(): StoredChangeset {
    return openCommit(this.#parts, this.#threadId);
  }
}

/** The same for a snapshot. */
export class FiledSnapshot implements SnapshotCell {
  readonly #log: ThreadLog;
  stored: StoredSnapshot;
  line: LogRange;

  constructor(log: ThreadLog, stored: StoredSnapshot, line: LogRange) {
    this.#log = log;
    this.stored = stored;
    this.line = line;
  }

  moveTo(stored: StoredSnapshot, line: LogRange): void {
    this.stored = stored;
    this.line = line;
  }

  get version(): number {
    return this.stored.version;
  }

  load(): Promise<StoredText | undefined> {
    return this.#log.load(this, (content) => {
      const body = this.stateIn(content);
      return { format: this.stored.format, checksum: checksumOf(body), body };
    });
  }

  stateIn(content: string): string {
    return readItem(content, this.stored.part, ["state"]).state;
  }
}
