import type { MailboxEntry, Message, RunRequest } from "@reprise/contracts";
import type { EntryRow } from "../kernel/rows.ts";
import { compactJson, expandJson } from "./compact-json.ts";
import { textsOf } from "./message-texts.ts";

/** What an entry says of itself, and its request therefore need not. */
type EntryIds = Pick<MailboxEntry, "run_id" | "thread_id">;

/** Writes what an entry asks for; it points at `messages` for what they say already. */
export function sealRequest(
  request: RunRequest,
  { run_id, thread_id }: EntryIds,
  messages: readonly Message[],
): string {
  return compactJson(request, { run_id, thread_id, texts: textsOf(messages) });
}

/** An entry with what it asks for. `messages` are those of the version it points at. */
export function openEntry({ entry, request }: EntryRow, messages: readonly Message[]): MailboxEntry {
  if (request === null) return entry;
  const { run_id, thread_id } = entry;
  // Written by `sealRequest`.
  return {
    ...entry,
    request: expandJson("entry", request, { run_id, thread_id, texts: textsOf(messages) }) as RunRequest,
  };
}
