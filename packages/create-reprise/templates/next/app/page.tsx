"use client";
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";

const transport = new DefaultChatTransport({ api: "/agents/v1/ai-sdk/agents/assistant/runs" });

export default function Page() {
  const { messages, sendMessage, addToolApprovalResponse, error } = useChat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <main>
      <h1>Talk to your agent</h1>
      <p>
        Its runs are told in the <a href="/agents/">studio</a>.
      </p>
      {messages.map(({ id, role, parts }) => (
        <article key={id}>
          <strong>{role}</strong>
          {parts.map((part, index) => {
            const key = `${id}-${index}`;
            if (part.type === "text") return <p key={key}>{part.text}</p>;
            if (!isToolUIPart(part)) return null;
            if (part.state !== "approval-requested")
              return <pre key={key}>{JSON.stringify(part.output ?? part.input)}</pre>;
            const approval = part.approval.id;
            return (
              <p key={key}>
                {JSON.stringify(part.input)}
                <button type="button" onClick={() => addToolApprovalResponse({ id: approval, approved: true })}>
                  Approve
                </button>
                <button type="button" onClick={() => addToolApprovalResponse({ id: approval, approved: false })}>
                  Deny
                </button>
              </p>
            );
          })}
        </article>
      ))}
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form
        action={(data) => {
          const text = String(data.get("text")).trim();
          if (text !== "") void sendMessage({ text });
        }}
      >
        <input name="text" aria-label="Message" placeholder="Roll a die" />
        <button type="submit">Send</button>
      </form>
    </main>
  );
}
