import type { Changeset } from "./changeset.ts";
import { writeEvents } from "./event-texts.ts";
import { textsOf } from "./message-texts.ts";

/** A changeset as JSON that a person can read, in the columns in which stores keep it: each an array but for `rest`. */
export interface ChangesetTexts {
  readonly messages: string;
  readonly calls: string;
  readonly patches: string;
  readonly events: string;
  /** Everything else as one object: whatever a changeset may hold one day is kept without a change here. */
  readonly rest: string;
}

/** Writes a changeset. Reading it and writing it again gives the same texts, so a digest of them can be made anew. */
export function writeChangeset(changeset: Changeset): ChangesetTexts {
  const { run_id, thread_id, messages, calls, patches, events } = changeset;
  return {
    messages: JSON.stringify(messages),
    calls: JSON.stringify(calls),
    patches: JSON.stringify(patches),
    events: writeEvents(events, { run_id, thread_id, texts: textsOf(messages) }),
    rest: JSON.stringify(restOf(changeset)),
  };
}

/** The fields without a column of their own, by name. Lists that every changeset has are left out when they are empty. */
function restOf(changeset: Changeset): object {
  const rest: Record<string, unknown> = {};
  for (const name of Object.keys(changeset).sort()) {
    // One of its names.
    const value = changeset[name as keyof Changeset];
    if (!COLUMNS.has(name) && !(COMMON_LISTS.has(name) && isEmpty(value))) rest[name] = value;
  }
  return rest;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const COLUMNS: ReadonlySet<string> = new Set<keyof Changeset>([
  "format",
  "changeset_id",
  "thread_id",
  "run_id",
  "messages",
  "calls",
  "patches",
  "events",
]);

/** The lists of `rest` that `emptyChangeset` has: reading a changeset puts them back. */
const COMMON_LISTS: ReadonlySet<string> = new Set<keyof Changeset>([
  "reasons",
  "supersedes",
  "actions",
  "runs",
  "consumed_decisions",
  "mailbox_effects",
  "blob_refs",
]);
