import type { Message } from "@reprise/contracts";
import { compactJson, expandJson } from "./compact-json.ts";
import type { SealedMessage } from "./sealed-changeset.ts";
import { parseText } from "./stored-text.ts";

/**
 * Writes a message. Its id is kept beside it, and its metadata, which names the run, points at the run that brought it. The
 * text itself is written as it is: that is where others point.
 */
export function sealMessage(message: Message, runId: string | null): SealedMessage {
  const { id, metadata, ...rest } = message;
  const known = metadata === undefined ? undefined : compactJson(metadata, { run_id: runId, texts: [] });
  const body = JSON.stringify(rest);
  return {
    id,
    is_internal: message.visibility === "internal",
    body: known === undefined ? body : `[${body},${known}]`,
  };
}

export function openMessage(id: string, text: string, runId: string | null): Message {
  const parsed = parseText("message", text);
  if (!Array.isArray(parsed)) return { id, ...(parsed as Omit<Message, "id">) };
  const [rest, metadata] = parsed as [Omit<Message, "id" | "metadata">, NonNullable<Message["metadata"]>];
  // What was parsed was written by `sealMessage`.
  return { id, ...rest, metadata: expandJson(metadata, { run_id: runId, texts: [] }) as typeof metadata };
}
