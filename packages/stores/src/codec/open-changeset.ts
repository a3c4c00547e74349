import { type AgentEvent, type Changeset, emptyChangeset, type Message } from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import { expandJson } from "./compact-json.ts";
import { openMessage } from "./message-codec.ts";
import { textsOf } from "./message-texts.ts";
import type { ChangesetBody } from "./seal-changeset.ts";
import { openSegment } from "./segment-codec.ts";
import { readText, type StoredText } from "./stored-text.ts";

/** The rows a changeset is kept in. */
export interface StoredChangeset {
  readonly thread_id: string;
  readonly version: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  readonly text: StoredText;
  readonly patches: StoredText;
  readonly messages: readonly StoredMessage[];
  /** In the order they were sealed. */
  readonly segments: readonly StoredSegment[];
}

export interface StoredMessage {
  readonly id: string;
  /** The run whose commit brought it. */
  readonly run_id: string | null;
  readonly text: StoredText;
}

export interface StoredSegment {
  readonly run_id: string;
  readonly epoch: number;
  readonly first_seq: number;
  readonly text: StoredText;
}

export function openStoredMessage({ id, run_id, text }: StoredMessage): Message {
  return openMessage(id, readText("message", text), run_id);
}

export function openPatches(text: StoredText, runId: string | null): readonly TrackedPatch[] {
  const body = readText("patches", text);
  if (body === "") return [];
  // Written by `sealChangeset`, and the checksum says that it is as it was written.
  return expandJson("patches", body, { run_id: runId, texts: [] }) as TrackedPatch[];
}

/** The events of a segment; `texts` are those of the messages of the same commit. */
export function openStoredSegment(
  { run_id, first_seq, text }: StoredSegment,
  threadId: string,
  texts: readonly string[],
): readonly AgentEvent[] {
  return openSegment(readText("segment", text), { run_id, thread_id: threadId, first_seq, texts });
}

/** The very changeset that was sealed, with its version. */
export function openChangeset(stored: StoredChangeset): Changeset & { readonly version: number } {
  const { thread_id, run_id } = stored;
  const messages = stored.messages.map(openStoredMessage);
  const context = { run_id, thread_id, texts: textsOf(messages) };
  // As above.
  const body = expandJson("changeset", readText("changeset", stored.text), context) as Partial<ChangesetBody>;
  const { turns = [], ...rest } = body;
  const segments = stored.segments.map((segment) => openStoredSegment(segment, thread_id, context.texts));
  return {
    ...emptyChangeset(thread_id, run_id, stored.changeset_id),
    ...rest,
    messages,
    patches: openPatches(stored.patches, run_id),
    events: interleave(segments, turns),
    version: stored.version,
  };
}

function interleave(
  segments: readonly (readonly AgentEvent[])[],
  turns: ChangesetBody["turns"],
): readonly AgentEvent[] {
  if (turns.length === 0) return segments.flat();
  const places = segments.map(() => 0);
  return turns.flatMap(([segment, count]) => {
    const from = places[segment] ?? 0;
    places[segment] = from + count;
    return segments[segment]?.slice(from, from + count) ?? [];
  });
}
