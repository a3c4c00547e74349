import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { useEffect, useMemo, useRef } from "react";
import { Composer } from "./composer.tsx";
import { Message } from "./message.tsx";
import { PermissionDialog } from "./permission-dialog.tsx";
import { cancelRun } from "./server.ts";

const transportTo = (agent: string) =>
  new DefaultChatTransport({
    api: `/v1/ai-sdk/agents/${encodeURIComponent(agent)}/runs`,
    // The server has the rest of the conversation; a long one would not fit into a request.
    prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
      body: { id, messages: messages.slice(-1), trigger, messageId },
    }),
  });

/** The run a message is: the server says so in its first part. */
function runOf(message: UIMessage | undefined): string | undefined {
  const info = message?.parts.find((part) => part.type === "data-run-info");
  return info !== undefined && "data" in info ? (info.data as { runId: string }).runId : undefined;
}

interface ChatProps {
  readonly id: string;
  readonly agent: string;
  readonly history: UIMessage[];
  /** Called when a message is complete. */
  readonly onSettled: () => void;
  readonly onBusy: (isBusy: boolean) => void;
}

export function Chat({ id, agent, history, onSettled, onBusy }: ChatProps) {
  const transport = useMemo(() => transportTo(agent), [agent]);
  const isWithdrawn = useRef(false);
  const chat = useChat({
    id,
    messages: history,
    resume: true,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: onSettled,
    onData: (part) => {
      if (part.type === "data-stream-reset") isWithdrawn.current = true;
    },
  });
  const { messages, status, error, resumeStream } = chat;
  const isBusy = status === "submitted" || status === "streaming";
  useEffect(() => {
    onBusy(isBusy);
    return () => onBusy(false);
  }, [isBusy, onBusy]);

  // The server took back what it had shown: once that response has ended, the message is read anew.
  useEffect(() => {
    if (status !== "ready" || !isWithdrawn.current) return;
    isWithdrawn.current = false;
    void resumeStream();
  }, [status, resumeStream]);

  const end = useRef<HTMLDivElement>(null);
  // After every word.
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  });

  const stop = async () => {
    // Reading no further is not enough: a run goes on without anybody listening.
    await chat.stop();
    const run = runOf(messages.at(-1));
    if (run !== undefined) await cancelRun(run);
  };

  return (
    <>
      <section className="messages" aria-label="Messages" aria-live="polite">
        {messages.length === 0 && <p className="hint">Say hello, or ask for something that needs your permission.</p>}
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            onRegenerate={isBusy ? undefined : () => void chat.regenerate({ messageId: message.id })}
          />
        ))}
        {status === "submitted" && <p className="thinking">Thinking…</p>}
        {error !== undefined && <p role="alert">{error.message}</p>}
        <div ref={end} />
      </section>
      {!isBusy && <PermissionDialog message={messages.at(-1)} onAnswer={chat.addToolApprovalResponse} />}
      <Composer isBusy={isBusy} onSend={(text) => void chat.sendMessage({ text })} onStop={() => void stop()} />
    </>
  );
}
