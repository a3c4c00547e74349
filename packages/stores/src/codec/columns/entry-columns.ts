import type { BusyPolicy, EntryKind, EntryStatus, MailboxEntry, RunRequest } from "@reprise/contracts";
import { type EntryRow, queueOf } from "../../kernel/rows.ts";
import { escapeText, unescapeText } from "../escape-text.ts";
import { parseText, readText, type StoredText, storeText } from "../stored-text.ts";
import { optionalProperty, optionalText } from "./column-values.ts";

/** A mailbox entry in columns; the body is what it asks for, empty when it asks for nothing. `thread_id` is its thread's. */
export interface EntryColumns extends StoredText, ChangingEntryColumns {
  readonly entry_id: string;
  readonly arrival: number;
  readonly kind: string;
  readonly run_id: string;
  readonly agent_id: string;
  readonly busy_policy: string;
  readonly rolls_back: string | null;
  readonly sender_id: string | null;
  readonly priority: number;
  readonly dedupe_key: string | null;
  readonly created_at: number;
}

/** What of an entry changes after it came. */
export interface ChangingEntryColumns {
  readonly generation: number;
  readonly status: string;
  readonly place: string | null;
  readonly available_at: number;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly reason: string | null;
  readonly into_run: string | null;
  readonly updated_at: number;
}

export function toChangingEntryColumns({ entry }: EntryRow): ChangingEntryColumns {
  return {
    generation: entry.generation,
    status: entry.status,
    place: queueOf(entry),
    available_at: entry.available_at,
    attempts: entry.attempts,
    last_error: optionalText(entry.last_error),
    reason: optionalText(entry.reason),
    into_run: optionalText(entry.into_run),
    updated_at: entry.updated_at,
  };
}

export function toEntryColumns(row: EntryRow): EntryColumns {
  const { entry, request, arrival } = row;
  return {
    entry_id: escapeText(entry.entry_id),
    arrival,
    kind: entry.kind,
    run_id: escapeText(entry.run_id),
    agent_id: escapeText(entry.agent_id),
    busy_policy: entry.busy_policy,
    rolls_back: optionalText(entry.rolls_back),
    sender_id: optionalText(entry.sender_id),
    priority: entry.priority,
    dedupe_key: optionalText(entry.dedupe_key),
    created_at: entry.created_at,
    ...toChangingEntryColumns(row),
    ...storeText(request ?? ""),
  };
}

/** The checksum is verified here, because later readers of the request have only the text. */
export function fromEntryColumns(columns: EntryColumns & { readonly thread_id: string }): EntryRow {
  const body = readText("entry", columns);
  const entry = {
    entry_id: unescapeText(columns.entry_id),
    thread_id: columns.thread_id,
    // Only values of these types are ever written.
    kind: columns.kind as EntryKind,
    run_id: unescapeText(columns.run_id),
    agent_id: unescapeText(columns.agent_id),
    busy_policy: columns.busy_policy as BusyPolicy,
    ...optionalProperty("rolls_back", columns.rolls_back),
    ...optionalProperty("sender_id", columns.sender_id),
    priority: columns.priority,
    ...optionalProperty("dedupe_key", columns.dedupe_key),
    generation: columns.generation,
    status: columns.status as EntryStatus,
    available_at: columns.available_at,
    attempts: columns.attempts,
    ...optionalProperty("last_error", columns.last_error),
    ...optionalProperty("reason", columns.reason),
    ...optionalProperty("into_run", columns.into_run),
    created_at: columns.created_at,
    updated_at: columns.updated_at,
  };
  return { entry, request: body === "" ? null : body, arrival: columns.arrival };
}

/** An entry with what it asks for. */
export function openEntry({ entry, request }: EntryRow): MailboxEntry {
  // Written by the shell from a request.
  return request === null ? entry : { ...entry, request: parseText("entry", request) as RunRequest };
}
