import {
  type AgentEvent,
  type ChangesetTexts,
  emptyChangeset,
  type Message,
  readEvents,
  type StoredChangeset,
  type ToolCallRecord,
  textsOf,
} from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import { type CommitColumns, firstPart, readCommitText, type TextColumns } from "./columns/commit-columns.ts";
import { unescapeText } from "./escape-text.ts";
import { parseText } from "./stored-text.ts";

// What is parsed here was written by `sealChangeset`, and its checksum says that it is unchanged.

/** The messages of one part of a commit. */
export function openMessages(columns: TextColumns<"messages">): readonly Message[] {
  if (columns.messages === "[]") return [];
  return parseText("messages", readCommitText(columns, "messages")) as Message[];
}

export function openCalls(columns: TextColumns<"calls">): readonly ToolCallRecord[] {
  if (columns.calls === "[]") return [];
  return parseText("calls", readCommitText(columns, "calls")) as ToolCallRecord[];
}

export function openPatches(columns: TextColumns<"patches">): readonly TrackedPatch[] {
  if (columns.patches === "[]") return [];
  return parseText("patches", readCommitText(columns, "patches")) as TrackedPatch[];
}

/** All events of a commit, of whichever run. Streamed text is in its messages, so these are opened too. */
export function openCommitEvents(
  parts: readonly (TextColumns<"messages" | "events"> & Pick<CommitColumns, "run_id">)[],
  threadId: string,
): readonly AgentEvent[] {
  return eventsOf(parts, threadId, () => parts.flatMap(openMessages));
}

function eventsOf(
  parts: readonly (TextColumns<"events"> & Pick<CommitColumns, "run_id">)[],
  thread_id: string,
  messages: () => readonly Message[],
): readonly AgentEvent[] {
  const run_id = unescapeOptional(firstPart(parts).run_id);
  const texts = parts.length > 1 ? [] : textsOf(messages());
  return parts.flatMap((part) =>
    readEvents(parseText("events", readCommitText(part, "events")), { run_id, thread_id, texts }),
  );
}

/** The columns that say what a commit holds. */
export type OpenedColumns = ChangesetTexts &
  Pick<CommitColumns, "version" | "changeset_id" | "run_id" | "digest" | "format" | "checksums">;

/** The very changeset that was sealed, with its version and digest. */
export function openCommit(parts: readonly OpenedColumns[], threadId: string): StoredChangeset {
  const first = firstPart(parts);
  const messages = parts.flatMap(openMessages);
  const rest = parseText("rest", readCommitText(first, "rest")) as object;
  return {
    ...emptyChangeset(threadId, unescapeOptional(first.run_id), first.changeset_id),
    ...rest,
    messages,
    patches: parts.flatMap(openPatches),
    calls: parts.flatMap(openCalls),
    events: eventsOf(parts, threadId, () => messages),
    version: first.version,
    digest: first.digest,
  };
}

function unescapeOptional(text: string | null): string | null {
  return text === null ? null : unescapeText(text);
}
