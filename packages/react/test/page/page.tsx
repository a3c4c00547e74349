import { createClient } from "@reprise/client";
import { RepriseProvider, useApprovals, useRunTimeline, useThread } from "@reprise/react";
import { createRoot } from "react-dom/client";

const threadId = new URLSearchParams(location.search).get("thread") ?? "t";

function Chat() {
  const thread = useThread(threadId, { agentId: "assistant" });
  const { open, decide } = useApprovals({ threadId, intervalMs: 200 });
  const send = (data: FormData) => void thread.send(String(data.get("text"))).catch(() => undefined);
  return (
    <main>
      <output aria-label="Status">{thread.status}</output>
      <ol aria-label="Messages">
        {thread.messages.map(({ id, role, content }) => (
          <li key={id}>{`${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`}</li>
        ))}
      </ol>
      <output aria-label="Answer">{thread.live?.text}</output>
      <ul aria-label="Calls">
        {thread.live?.calls.map(({ id, name, status }) => (
          <li key={id}>{`${name} ${status}`}</li>
        ))}
      </ul>
      {open.map((question) => (
        <fieldset key={question.id} aria-label={question.tool_id}>
          {JSON.stringify(question.arguments)}
          <button type="button" onClick={() => void decide(question, { action: "approve" })}>
            Approve
          </button>
          <button type="button" onClick={() => void decide(question, { action: "edit", arguments: { amount: 1 } })}>
            Edit
          </button>
        </fieldset>
      ))}
      <form action={send}>
        <input name="text" aria-label="Message" />
      </form>
      <button type="button" onClick={() => void thread.cancel()}>
        Stop
      </button>
      {thread.live === undefined ? null : <Rows runId={thread.live.runId} />}
      <p role="alert">{thread.error}</p>
    </main>
  );
}

function Rows({ runId }: { readonly runId: string }) {
  const { rows, status } = useRunTimeline(runId);
  return (
    <pre role="log" aria-label="Timeline">
      {[status, ...rows.map(({ kind, name, status: each }) => `${kind} ${name} ${each}`)].join("\n")}
    </pre>
  );
}

const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <RepriseProvider client={createClient()}>
      <Chat />
    </RepriseProvider>,
  );
}
