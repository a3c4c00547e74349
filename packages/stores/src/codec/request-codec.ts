import type { MailboxEntry, Message, RunRequest } from "@reprise/contracts";
import type { EntryRow } from "../kernel/rows.ts";
import { compactJson, expandJson } from "./compact-json.ts";
import { textsOf } from "./message-texts.ts";
import { parseText } from "./stored-text.ts";

/** Writes what an entry asks for; it points at `messages` for what they say already. */
export function sealRequest(request: RunRequest, runId: string, messages: readonly Message[]): string {
  return compactJson(request, { run_id: runId, texts: textsOf(messages) });
}

/** An entry with what it asks for. `messages` are those of the version it points at. */
export function openEntry({ entry, request }: EntryRow, messages: readonly Message[]): MailboxEntry {
  if (request === null) return entry;
  const parsed = expandJson(parseText("entry", request), { run_id: entry.run_id, texts: textsOf(messages) });
  // Written by `sealRequest`.
  return { ...entry, request: parsed as RunRequest };
}
