import type { ReactNode } from "react";
import type { ChatSummary } from "./server.ts";

interface ChatListProps {
  readonly chats: readonly ChatSummary[];
  readonly current: string;
  readonly onNew: () => void;
  readonly children: ReactNode;
}

export function ChatList({ chats, current, onNew, children }: ChatListProps) {
  return (
    <nav aria-label="Chats">
      <h1>Reprise</h1>
      {children}
      <button type="button" className="new" onClick={onNew}>
        New chat
      </button>
      <ul>
        {chats.map(({ thread_id: id, title }) => (
          <li key={id}>
            <a href={`#${encodeURIComponent(id)}`} aria-current={id === current ? "page" : undefined}>
              {title || "Untitled"}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
