// npm install @reprise/client @reprise/react
import { createClient } from "@reprise/client";
import { RepriseProvider, useApprovals, useThread } from "@reprise/react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";
import { Library } from "./library.tsx";
import "./style.css";
import { useLibrary } from "./use-library.ts";

/** The thread is in the address: a page that is loaded again shows it again. */
const threadId = new URLSearchParams(location.search).get("thread") ?? crypto.randomUUID();
history.replaceState(null, "", `?thread=${encodeURIComponent(threadId)}`);

function App() {
  const thread = useThread(threadId, { agentId: "researcher" });
  const { open, decide } = useApprovals({ threadId });
  const library = useLibrary(threadId, thread);
  return (
    <div className="app">
      <Library library={library} thread={thread} questions={open} decide={decide} />
      <Chat thread={thread} />
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <RepriseProvider client={createClient()}>
    <App />
  </RepriseProvider>,
);
