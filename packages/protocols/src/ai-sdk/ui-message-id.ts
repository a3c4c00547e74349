import type { Message, MessageInput } from "@reprise/contracts";

const KEY = "ui_message_id";

/**
 * The id a page knows a message by. A page that edits a message keeps its id, while a thread gives every message one of its own: the
 * page's is kept beside it.
 */
export function uiMessageIdOf({ id, metadata }: Pick<Message, "id" | "metadata">): string {
  const known = metadata?.[KEY];
  return typeof known === "string" ? known : id;
}

/** Messages that take the place of others under the same ids. */
export function withUiMessageIds(messages: readonly MessageInput[]): readonly MessageInput[] {
  return messages.map((message) =>
    message.id === undefined ? message : { ...message, metadata: { ...message.metadata, [KEY]: message.id } },
  );
}
