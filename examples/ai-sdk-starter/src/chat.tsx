import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { useEffect, useMemo, useRef, useState } from "react";
import { Composer } from "./composer.tsx";
import { persistentFetch } from "./connection.ts";
import { Message } from "./message.tsx";
import { PermissionDialog, type Remember } from "./permission-dialog.tsx";
import { cancelRun } from "./server.ts";

/** How far each answer reaches, by the id of its question. */
type Remembered = ReadonlyMap<string, Remember>;

/** Adds to the answers in a message how far they reach: `useChat` has no word for it, and the server reads it off the `approval`. */
function withRemembered(message: UIMessage, remembered: Remembered) {
  const parts = message.parts.map((part) => {
    const remember = isToolUIPart(part) ? remembered.get(part.approval?.id ?? "") : undefined;
    return isToolUIPart(part) && remember !== undefined ? { ...part, approval: { ...part.approval, remember } } : part;
  });
  return { ...message, parts };
}

const transportTo = (agent: string, remembered: Remembered) =>
  new DefaultChatTransport({
    api: `/v1/ai-sdk/agents/${encodeURIComponent(agent)}/runs`,
    fetch: persistentFetch,
    // The server has the rest of the conversation; a long one would not fit into a request.
    prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
      body: { id, messages: messages.slice(-1).map((last) => withRemembered(last, remembered)), trigger, messageId },
    }),
  });

/** The run of a message: the server says so in its first part. */
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
  /** Called when a message broke off: the chat is to be loaded again, and the message continues in the new one. */
  readonly onLost: () => void;
  readonly onBusy: (isBusy: boolean) => void;
}

export function Chat({ id, agent, history, onSettled, onLost, onBusy }: ChatProps) {
  const [remembered] = useState(() => new Map<string, Remember>());
  const transport = useMemo(() => transportTo(agent, remembered), [agent, remembered]);
  const [isLost, setLost] = useState(false);
  const lose = () => {
    setLost(true);
    onLost();
  };
  const chat = useChat({
    id,
    messages: history,
    resume: true,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: ({ isAbort, isError, finishReason }) => {
      // The server ends a stream without a `finish` when it stops, and when words that were shown do not count any more.
      if (!isAbort && !isError && finishReason === undefined) lose();
      else onSettled();
    },
    onError: (error) => {
      // The connection broke: everything else that goes wrong has an answer of the server.
      if (error instanceof TypeError) lose();
    },
  });
  const { messages, status, error } = chat;
  const isBusy = isLost || status === "submitted" || status === "streaming";
  useEffect(() => {
    onBusy(isBusy);
    return () => onBusy(false);
  }, [isBusy, onBusy]);

  const end = useRef<HTMLDivElement>(null);
  // After every word.
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  });

  const stop = async () => {
    // To stop reading is not enough: a run continues without a reader.
    await chat.stop();
    const run = runOf(messages.at(-1));
    if (run !== undefined) await cancelRun(run);
  };

  const decide = ({ remember, ...answer }: { id: string; approved: boolean; remember: Remember }) => {
    remembered.set(answer.id, remember);
    return chat.addToolApprovalResponse(answer);
  };

  return (
    <>
      <section className="messages" aria-label="Messages" aria-live="polite">
        {messages.length === 0 && <p className="hint">Say hello, or ask for something that needs approval.</p>}
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            onRegenerate={isBusy ? undefined : () => void chat.regenerate({ messageId: message.id })}
          />
        ))}
        {status === "submitted" && <p className="thinking">Thinking…</p>}
        {error !== undefined && !isLost && <p role="alert">{error.message}</p>}
        <div ref={end} />
      </section>
      {!isBusy && <PermissionDialog message={messages.at(-1)} onAnswer={decide} />}
      <Composer isBusy={isBusy} onSend={(text) => void chat.sendMessage({ text })} onStop={() => void stop()} />
    </>
  );
}
