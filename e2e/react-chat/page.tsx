import { useChat } from "@ai-sdk/react";
import { createClient } from "@reprise/client";
import { chatTransportOptions } from "@reprise/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { createRoot } from "react-dom/client";

const parameters = new URLSearchParams(location.search);
const threadId = parameters.get("thread") ?? "t";
const token = parameters.get("token");
const credential = token === null ? {} : { token };
const transport = new DefaultChatTransport(chatTransportOptions({ agentId: "assistant", ...credential }));

function Chat({ stored }: { readonly stored: readonly UIMessage[] }) {
  const chat = useChat({
    id: threadId,
    messages: [...stored],
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const show = (part: UIMessage["parts"][number]) => {
    if (part.type === "text") return part.text;
    if (!isToolUIPart(part) || part.state !== "approval-requested") return null;
    const answer = (approved: boolean) => void chat.addToolApprovalResponse({ id: part.approval.id, approved });
    return (
      <fieldset aria-label="Question">
        {JSON.stringify(part.input)}
        <button type="button" onClick={() => answer(true)}>
          Approve
        </button>
        <button type="button" onClick={() => answer(false)}>
          Deny
        </button>
      </fieldset>
    );
  };
  const say = (data: FormData) => void chat.sendMessage({ text: String(data.get("text")) });
  return (
    <main>
      <output aria-label="Status">{chat.status}</output>
      <ol aria-label="Messages">
        {chat.messages.map(({ id, role, parts }) => (
          <li key={id}>
            {role}:{" "}
            {parts.map((part, index) => (
              // The parts of a message have no ids, and only grow.
              <span key={index}>{show(part)}</span>
            ))}
          </li>
        ))}
      </ol>
      <form action={say}>
        <input name="text" aria-label="Message" />
      </form>
      <button type="button" onClick={() => void chat.regenerate({ messageId: chat.messages.at(-1)?.id ?? "" })}>
        Again
      </button>
      <p role="alert">{chat.error?.message}</p>
    </main>
  );
}

const { data } = await createClient(credential).GET("/v1/ai-sdk/threads/{id}/messages", {
  params: { path: { id: threadId } },
});
const root = document.querySelector("#root");
// The server writes messages of the AI SDK; the OpenAPI document says only that they are objects.
if (root !== null) createRoot(root).render(<Chat stored={(data?.messages ?? []) as unknown as UIMessage[]} />);
