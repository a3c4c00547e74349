import type { UIMessage } from "ai";
import { loadHistory } from "./server.ts";

/** Chats that were begun here and are empty: the server learns of them with their first message. */
const begun = new Set<string>();

function beginChat(): string {
  const id = crypto.randomUUID();
  begun.add(id);
  return `#${id}`;
}

/** The chat in the address; a new one when there is none. */
export function currentChat(): string {
  if (location.hash.length < 2) history.replaceState(null, "", beginChat());
  return decodeURIComponent(location.hash.slice(1));
}

export function openNewChat(): void {
  location.hash = beginChat();
}

/** The messages of a chat. */
export async function loadChat(id: string): Promise<UIMessage[]> {
  return begun.delete(id) ? [] : loadHistory<UIMessage>(id);
}
