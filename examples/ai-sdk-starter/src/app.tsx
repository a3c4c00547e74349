import type { UIMessage } from "ai";
import { useCallback, useEffect, useState } from "react";
import { AgentPicker } from "./agent-picker.tsx";
import { Chat } from "./chat.tsx";
import { ChatList } from "./chat-list.tsx";
import { useIsConnected } from "./connection.ts";
import { currentChat, loadChat, openNewChat } from "./current-chat.tsx";
import { type ChatSummary, listChats } from "./server.ts";

interface Opened {
  readonly id: string;
  readonly agent: string;
  /** How often the chat was loaded: each time it is a new one, which reads the message under way from its start. */
  readonly load: number;
  readonly messages: UIMessage[];
}

export function App() {
  const [chatId, setChatId] = useState(currentChat);
  const [agent, setAgent] = useState("");
  const [opened, setOpened] = useState<Opened>();
  const [chats, setChats] = useState<readonly ChatSummary[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [load, setLoad] = useState(0);
  const isConnected = useIsConnected();
  const [problem, setProblem] = useState("");
  const tell = useCallback((error: Error) => setProblem(error.message), []);

  const loadAgain = useCallback(() => setLoad((count) => count + 1), []);
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
      (messages) => isCurrent && setOpened({ id: chatId, agent, load, messages }),
      (error: Error) => isCurrent && tell(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [chatId, agent, load, tell]);

  const isOpen = opened !== undefined && opened.id === chatId && opened.agent === agent;
  return (
    <div className="app">
      <ChatList chats={chats} current={chatId} onNew={openNewChat}>
        <AgentPicker agent={agent} isBusy={isBusy} onPick={setAgent} onProblem={tell} />
      </ChatList>
      <main>
        <p className="connection" role="status">
          {!isConnected && "Reconnecting…"}
        </p>
        {problem !== "" && <p role="alert">{problem}</p>}
        {isOpen && (
          <Chat
            key={`${agent}/${chatId}/${opened.load}`}
            id={chatId}
            agent={agent}
            history={opened.messages}
            onSettled={refresh}
            onLost={loadAgain}
            onBusy={setBusy}
          />
        )}
      </main>
    </div>
  );
}
