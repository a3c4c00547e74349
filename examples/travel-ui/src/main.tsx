import { createRoot } from "react-dom/client";
import { Board } from "./board.tsx";
import { Chat } from "./chat.tsx";
import "./style.css";
import { usePlanner } from "./use-planner.ts";

/** The thread is in the address: a page that is loaded again shows it again. */
const threadId = new URLSearchParams(location.search).get("thread") ?? crypto.randomUUID();
history.replaceState(null, "", `?thread=${encodeURIComponent(threadId)}`);

function App() {
  const planner = usePlanner(threadId);
  return (
    <div className="app">
      <Board planner={planner} />
      <Chat planner={planner} />
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<App />);
