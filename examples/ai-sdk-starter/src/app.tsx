import type { UIMessage } from "ai";
import { useCallback, useEffect, useState } from "react";
import { AgentPicker } from "./agent-picker.tsx";
import { Chat } from "./chat.tsx";
import { ChatList } from "./chat-list.tsx";
import { currentChat, loadChat, openNewChat } from "./current-chat.tsx";
import { type ChatSummary, listChats } from "./server.ts";

interface Opened {
  readonly id: string;
  readonly agent: string;
  readonly messages: UIMessage[];
}

export function App() {
  const [chatId, setChatId] = useState(currentChat);
  const [agent, setAgent] = useState("");
  const [opened, setOpened] = useState<Opened>();
  const [chats, setChats] = useState<readonly ChatSummary[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const tell = useCallback((error: Error) => setProblem(error.message), []);

  const refresh = useCallback(() => void listChats().then(setChats, tell), [tell]);
  useEffect(refresh, [refresh]);

  useEffect(() => {
    const follow = () => setChatId(currentChat());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  useEffect(() => {
    if (agent === "") return;
    let isCurrent = true;
    loadChat(chatId).then(
      (messages) => isCurrent && setOpened({ id: chatId, agent, messages }),
      (error: Error) => isCurrent && tell(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [chatId, agent, tell]);

  const isOpen = opened !== undefined && opened.id === chatId && opened.agent === agent;
  return (
    <div className="app">
      <ChatList chats={chats} current={chatId} onNew={openNewChat}>
        <AgentPicker agent={agent} isBusy={isBusy} onPick={setAgent} onProblem={tell} />
      </ChatList>
      <main>
        {problem !== "" && <p role="alert">{problem}</p>}
        {isOpen && (
          <Chat
            key={`${agent}/${chatId}`}
            id={chatId}
            agent={agent}
            history={opened.messages}
            onSettled={refresh}
            onBusy={setBusy}
          />
        )}
      </main>
    </div>
  );
}
