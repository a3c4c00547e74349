import { CopilotChat, CopilotKitProvider } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";
import { Approvals } from "./approvals.tsx";
import { Canvas } from "./canvas.tsx";
import "./style.css";
import { ThreadAgent } from "./thread-agent.ts";

/** The thread is in the address: a page that is loaded again shows it again. */
const threadId = new URLSearchParams(location.search).get("thread") ?? crypto.randomUUID();
history.replaceState(null, "", `?thread=${encodeURIComponent(threadId)}`);

const agent = new ThreadAgent({ url: "/v1/ag-ui/agents/painter/runs", threadId });

createRoot(document.getElementById("root") as HTMLElement).render(
  <CopilotKitProvider selfManagedAgents={{ default: agent }}>
    <main className="app">
      <Canvas />
      <div className="chat">
        <CopilotChat agentId="default" threadId={threadId} />
      </div>
    </main>
    <Approvals />
  </CopilotKitProvider>,
);
