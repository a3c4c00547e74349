import type { Message } from "@ag-ui/client";
import { useEffect, useRef } from "react";
import { Approval } from "./approval.tsx";
import type { Planner } from "./use-planner.ts";

export function Chat({ planner }: { readonly planner: Planner }) {
  const { messages, questions, isRunning, problem, say, answer } = planner;
  const end = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when something was added.
  useEffect(() => {
    void end.current?.scrollIntoView({ block: "end" });
  }, [messages, questions]);
  const send = (data: FormData): void => {
    const text = String(data.get("text")).trim();
    if (text !== "") say(text);
  };
  return (
    <aside className="chat" aria-label="Chat">
      <div className="messages" role="log">
        {messages.map((message) => (
          <Bubble key={message.id} message={message} messages={messages} />
        ))}
        {isRunning && messages.length > 0 && <p className="busy">…</p>}
        {questions.map((question) => (
          <Approval key={question.id} question={question} answer={answer} />
        ))}
        {problem !== undefined && <p role="alert">The server cannot be reached. Trying again …</p>}
        <div ref={end} />
      </div>
      <form action={send}>
        <input name="text" aria-label="Message" placeholder="Three days in Lisbon for two" autoComplete="off" />
        <button type="submit" className="primary" disabled={isRunning || questions.length > 0}>
          Send
        </button>
      </form>
    </aside>
  );
}

interface BubbleProps {
  readonly message: Message;
  readonly messages: readonly Message[];
}

function Bubble({ message, messages }: BubbleProps) {
  if (message.role === "user") return <p className="bubble user">{String(message.content)}</p>;
  if (message.role !== "assistant") return null;
  const { content, toolCalls = [] } = message;
  const isDone = (id: string): boolean => messages.some((each) => each.role === "tool" && each.toolCallId === id);
  return (
    <>
      {content !== undefined && content !== "" && <p className="bubble">{content}</p>}
      {toolCalls.map(({ id, function: { name } }) => (
        <p key={id} className={isDone(id) ? "call done" : "call"}>
          {name === "plan_day" ? "Plans a day" : "Creates the trip"}
        </p>
      ))}
    </>
  );
}
