import { type ChangesetTexts, RepriseError } from "@reprise/contracts";
import type { CommitWrite } from "../../kernel/write.ts";
import { checksumOf } from "../checksum.ts";
import { escapeText } from "../escape-text.ts";
import { readText, STORED_FORMAT } from "../stored-text.ts";
import { optionalText } from "./column-values.ts";

/** A row of the table of commits, without its thread. */
export interface CommitColumns extends ChangesetTexts {
  readonly version: number;
  readonly part: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  /** The epoch its events were shown under. */
  readonly epoch: number;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  /** A run that the commit ends besides its own, and the events it brings of it. */
  readonly closed_run: string | null;
  readonly closed_first_seq: number | null;
  readonly closed_last_seq: number | null;
  readonly first_position: number;
  readonly message_count: number;
  readonly shown_count: number;
  readonly digest: string;
  readonly format: number;
  /** One of eight hexadecimal digits for each text, in the order of `COMMIT_TEXTS`. */
  readonly checksums: string;
}

/** The texts of a commit, in the order of their checksums. */
export const COMMIT_TEXTS = ["messages", "calls", "patches", "events", "rest"] as const;

const CHECKSUM_LENGTH = 8;

/** The rows of a commit, one for each part. */
export function toCommitColumns(write: CommitWrite): readonly CommitColumns[] {
  const { changeset, version, epoch, digest } = write;
  const own = changeset.segments.find(({ run_id }) => run_id === changeset.run_id);
  const closed = changeset.segments.find(({ run_id }) => run_id !== changeset.run_id);
  let first_position = write.first_position;
  return changeset.parts.map((part, index) => {
    const columns = {
      version,
      part: index,
      changeset_id: changeset.changeset_id,
      run_id: optionalText(changeset.run_id),
      epoch,
      first_seq: own?.first_seq ?? null,
      last_seq: own?.last_seq ?? null,
      closed_run: closed === undefined ? null : escapeText(closed.run_id),
      closed_first_seq: closed?.first_seq ?? null,
      closed_last_seq: closed?.last_seq ?? null,
      first_position,
      message_count: part.message_count,
      shown_count: part.shown_count,
      digest,
      format: STORED_FORMAT,
      checksums: checksumsOf(part),
      messages: part.messages,
      calls: part.calls,
      patches: part.patches,
      events: part.events,
      rest: part.rest,
    };
    first_position += part.message_count;
    return columns;
  });
}

export function checksumsOf(texts: ChangesetTexts): string {
  return COMMIT_TEXTS.map((name) => checksumOf(texts[name]).toString(16).padStart(CHECKSUM_LENGTH, "0")).join("");
}

/** The columns needed to open one text of a commit. */
export type TextColumns<Name extends keyof ChangesetTexts> = Pick<CommitColumns, "format" | "checksums" | Name>;

/** One text of a commit, checked and brought to today's format. */
export function readCommitText<Name extends keyof ChangesetTexts>(columns: TextColumns<Name>, name: Name): string {
  const start = COMMIT_TEXTS.indexOf(name) * CHECKSUM_LENGTH;
  const checksum = Number.parseInt(columns.checksums.slice(start, start + CHECKSUM_LENGTH), 16);
  // The columns of a type parameter's name, which TypeScript cannot tell from the others.
  const body = columns[name] as string;
  return readText(name, { format: columns.format, checksum, body });
}

/** Whether the history of a commit is gone: pruning empties `patches`, `events` and `rest`, which are never empty otherwise. */
export function isPruned({ patches }: Pick<CommitColumns, "patches">): boolean {
  return patches === "";
}

/** Parts of one commit that belong together, by version, in order. */
export function groupParts<Columns extends Pick<CommitColumns, "version">>(
  rows: readonly Columns[],
): readonly (readonly [Columns, ...Columns[]])[] {
  const groups: [Columns, ...Columns[]][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last?.[0].version === row.version) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** For a row that a driver must have found. */
export function firstPart<Columns>(parts: readonly Columns[]): Columns {
  const [first] = parts;
  if (first === undefined) throw new RepriseError("INTERNAL", "A commit has no rows.");
  return first;
}
