// npm install @reprise/react
import type { LiveCall, ThreadMessage, UseThread } from "@reprise/react";
import { useEffect, useRef } from "react";

const CALLS: Readonly<Record<string, string>> = {
  add_source: "Adds a source",
  write_summary: "Writes the summary",
  delete_source: "Deletes a source",
};

const MARKS: Readonly<Record<LiveCall["status"], string>> = {
  running: "○",
  needs_approval: "?",
  done: "✓",
  failed: "×",
};

export function Chat({ thread }: { readonly thread: UseThread }) {
  const { messages, live, status, error, send } = thread;
  const end = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when something was added.
  useEffect(() => {
    void end.current?.scrollIntoView({ block: "end" });
  }, [messages, live]);
  const say = (data: FormData): void => {
    const text = String(data.get("text")).trim();
    if (text !== "") void send(text).catch(() => undefined);
  };
  const isIdle = status === "idle" || status === "failed";
  return (
    <aside className="chat" aria-label="Chat">
      <div className="messages" role="log">
        {messages.map((message) => (
          <Said key={message.id} message={message} />
        ))}
        {status !== "waiting" &&
          live?.calls.map(({ id, name, status: state }) => <Call key={id} name={name} mark={MARKS[state]} />)}
        {status !== "waiting" && live !== undefined && live.text !== "" && <p className="bubble">{live.text}</p>}
        {status === "waiting" && <p className="call">Waits for your decision, in the library.</p>}
        {error !== undefined && <p role="alert">{error}</p>}
        <div ref={end} />
      </div>
      <form action={say}>
        <input name="text" aria-label="Message" placeholder="Research tides" autoComplete="off" />
        <button type="submit" className="primary" disabled={!isIdle}>
          Send
        </button>
      </form>
    </aside>
  );
}

function Said({ message }: { readonly message: ThreadMessage }) {
  const { role, content, tool_calls: calls = [] } = message;
  if (role !== "user" && role !== "assistant") return null;
  return (
    <>
      {typeof content === "string" && content !== "" && (
        <p className={role === "user" ? "bubble user" : "bubble"}>{content}</p>
      )}
      {calls.map(({ id, name }) => (
        <Call key={id} name={name} mark="·" />
      ))}
    </>
  );
}

function Call({ name, mark }: { readonly name: string; readonly mark: string }) {
  return (
    <p className="call">
      <span aria-hidden="true">{mark}</span> {CALLS[name] ?? name}
    </p>
  );
}
