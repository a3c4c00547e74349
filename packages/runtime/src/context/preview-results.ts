import { type Message, textOf } from "@reprise/contracts";
import type { Room } from "./truncate-messages.ts";

/** A result of a tool that is larger than this may be shown as a preview. */
const LARGE_TOKENS = 2_048;
const PREVIEW_CHARACTERS = 1_600;
const PREVIEW_LINES = 24;
/** References to blobs that a preview repeats. */
const MOST_REFS = 20;
const BLOB_REF = /blob:[A-Za-z0-9_-]{8,}/g;

/** The messages, some of them as previews. */
export interface Previewed {
  readonly messages: readonly Message[];
  readonly previewed: number;
}

/** A message never changes, and its preview is counted once as it is. */
const previews = new WeakMap<Message, Message>();

/**
 * Shows large results of tools as previews when the messages do not fit. The newest messages are shown whole. All others at once: what a
 * provider has cached then changes one time, not with every request.
 */
export function previewResults(messages: readonly Message[], { tokens: room, minRecent, sizeOf }: Room): Previewed {
  const total = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  if (total <= room) return { messages, previewed: 0 };
  const recent = messages.length - minRecent;
  let previewed = 0;
  const shown = messages.map((message, index) => {
    if (message.role !== "tool" || index >= recent || sizeOf(message) <= LARGE_TOKENS) return message;
    previewed += 1;
    const preview = previews.get(message) ?? previewOf(message, sizeOf(message));
    previews.set(message, preview);
    return preview;
  });
  return previewed === 0 ? { messages, previewed } : { messages: shown, previewed };
}

/** The beginning of a result, with where the whole of it is and what it refers to. */
function previewOf(message: Message, tokens: number): Message {
  const text = textOf(message);
  const beginning = text.split("\n", PREVIEW_LINES).join("\n").slice(0, PREVIEW_CHARACTERS).toWellFormed();
  const found = [...new Set([...text.matchAll(BLOB_REF)].map(([ref]) => ref))];
  const missing = found.filter((ref) => !beginning.includes(ref)).slice(0, MOST_REFS);
  const refs = missing.length === 0 ? "" : ` It refers to ${missing.join(", ")}.`;
  const note = `[Preview of an old result of about ${tokens} tokens. The thread keeps the whole of it as message ${message.id}.${refs}]`;
  return { ...message, content: `${beginning}\n${note}` };
}
