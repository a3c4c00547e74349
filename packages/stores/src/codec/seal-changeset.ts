import {
  type AgentEvent,
  type Changeset,
  type ChangesetTexts,
  contentDigest,
  invalidRequest,
  type Message,
  writeChangeset,
  writeEvents,
} from "@reprise/contracts";
import { blobRefsInTexts, blobRefsInValue } from "../kernel/blob-refs.ts";
import { hashText } from "../kernel/hash-text.ts";
import type { CommitPart, SealedChangeset, SealedSegment } from "../kernel/sealed-changeset.ts";

/** A part of a commit holds about this much text; one message, patch or event is never cut. */
const PART_LENGTH = 262_144;

/** Writes a changeset for storing. Refuses events with a gap inside: no store could file them. */
export function sealChangeset(changeset: Changeset): SealedChangeset {
  const texts = writeChangeset(changeset);
  const content = contentDigest(changeset, hashText, texts);
  const { messages, calls, patches, rest } = texts;
  const blob_refs = blobRefsInTexts([messages, calls, patches, rest]);
  return { ...headOf(changeset), blob_refs, content, parts: partsOf(changeset, texts) };
}

/** The same for a store in memory: nothing is written, and the changeset is kept as it is. */
export function leaveOpen(changeset: Changeset): SealedChangeset {
  const { messages, calls, patches } = changeset;
  const blob_refs = blobRefsInValue([messages, calls, patches, changeset.blob_refs]);
  return { ...headOf(changeset), blob_refs, parts: [], open: changeset };
}

/** What the rules look at. */
function headOf(changeset: Changeset): Omit<SealedChangeset, "parts" | "blob_refs"> {
  const { changeset_id, thread_id, run_id, supersedes, consumed_decisions, mailbox_effects, runs, calls } = changeset;
  return {
    ...{ changeset_id, thread_id, run_id, supersedes, consumed_decisions, mailbox_effects, runs, calls },
    message_ids: changeset.messages.map(({ id }) => id),
    segments: segmentsOf(changeset),
    text_refs: (changeset.effects ?? []).flatMap(({ texts = [] }) => texts.map(({ ref }) => ref)),
  };
}

/** The events of a changeset by run: its own, and one that it ends. */
function segmentsOf({ changeset_id, run_id, events }: Changeset): readonly SealedSegment[] {
  const segments: { run_id: string; first_seq: number; last_seq: number }[] = [];
  let segment: (typeof segments)[number] | undefined;
  for (const event of events) {
    const seq = event.seq ?? 0;
    // Nearly all events of a commit are of one run.
    if (segment?.run_id !== event.run_id) segment = segments.find((known) => known.run_id === event.run_id);
    if (segment === undefined) {
      segment = { run_id: event.run_id, first_seq: seq, last_seq: seq };
      segments.push(segment);
    } else if (seq === segment.last_seq + 1) {
      segment.last_seq = seq;
    } else {
      throw invalidRequest(`Cannot store event ${seq} of run ${event.run_id}: the last is ${segment.last_seq}.`);
    }
  }
  const own = segments.filter((known) => known.run_id === run_id);
  const others = segments.filter((known) => known.run_id !== run_id);
  if (others.length > 1) {
    throw invalidRequest(
      `Changeset ${changeset_id} may bring events of one run besides its own (got ${others.length}).`,
    );
  }
  return [...own, ...others];
}

function partsOf(changeset: Changeset, texts: ChangesetTexts): readonly CommitPart[] {
  if (lengthOf(texts) > PART_LENGTH) return splitParts(changeset, texts);
  const { messages } = changeset;
  return [{ ...texts, message_count: messages.length, shown_count: countShown(messages) }];
}

function lengthOf({ messages, calls, patches, events, rest }: ChangesetTexts): number {
  return messages.length + calls.length + patches.length + events.length + rest.length;
}

/** Slices of each list, side by side. What is not a list is in the first part. */
function splitParts(changeset: Changeset, whole: ChangesetTexts): readonly CommitPart[] {
  const messages = slice(changeset.messages, whole.messages.length);
  const calls = slice(changeset.calls, whole.calls.length);
  const patches = slice(changeset.patches, whole.patches.length);
  const events = slice(changeset.events, whole.events.length);
  const count = Math.max(messages.length, calls.length, patches.length, events.length, 1);
  return Array.from({ length: count }, (_, index) => ({
    messages: JSON.stringify(messages[index] ?? []),
    calls: JSON.stringify(calls[index] ?? []),
    patches: JSON.stringify(patches[index] ?? []),
    events: writeSlice(events[index] ?? [], changeset),
    rest: index === 0 ? whole.rest : "{}",
    message_count: messages[index]?.length ?? 0,
    shown_count: countShown(messages[index] ?? []),
  }));
}

/** Each slice has its streamed text with it, so that it can be opened without the slices before it. */
function writeSlice(events: readonly AgentEvent[], { run_id, thread_id }: Changeset): string {
  return writeEvents(events, { run_id, thread_id, texts: [] });
}

/** Cuts a list so that each slice has about `PART_LENGTH` characters of JSON. */
function slice<Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] {
  if (length <= PART_LENGTH) return [items];
  const slices: Item[][] = [[]];
  let filled = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (filled > 0 && filled + size > PART_LENGTH) {
      slices.push([]);
      filled = 0;
    }
    slices.at(-1)?.push(item);
    filled += size;
  }
  return slices;
}

function countShown(messages: readonly Message[]): number {
  return messages.filter(({ visibility }) => visibility !== "internal").length;
}
