import { getToolName, isToolUIPart, type UIMessage } from "ai";

type Part = UIMessage["parts"][number];

/** The state of a call, in words. */
const STATES = {
  "input-streaming": "is being prepared",
  "input-available": "is running",
  "approval-requested": "needs approval",
  "approval-responded": "was decided",
  "output-available": "is done",
  "output-error": "failed",
  "output-denied": "was denied",
} as const;

/** Where the result of an MCP tool comes from, and the page that its server shows it with. The page may run nothing. */
function McpCard({ output }: { output: unknown }) {
  const { metadata } = (output ?? {}) as { metadata?: Record<string, unknown> };
  const { "mcp.server": server, "mcp.tool": tool, "mcp.ui.content": page } = metadata ?? {};
  if (typeof server !== "string") return null;
  return (
    <figure className="mcp">
      <figcaption>
        {String(tool)} of the MCP server {server}
      </figcaption>
      {typeof page === "string" && <iframe title={`${server}: ${String(tool)}`} sandbox="" srcDoc={page} />}
    </figure>
  );
}

function PartView({ part }: { part: Part }) {
  if (part.type === "text") return <p className="text">{part.text}</p>;
  if (part.type === "reasoning") return <p className="reasoning">{part.text}</p>;
  if (part.type === "file" && part.mediaType.startsWith("image/"))
    return <img src={part.url} alt={part.filename ?? ""} />;
  if (part.type === "file") return <a href={part.url}>{part.filename ?? "A file"}</a>;
  if (!isToolUIPart(part)) return null;
  const card = part.state === "output-available" ? <McpCard output={part.output} /> : null;
  const details = (
    <details className="tool" data-state={part.state}>
      <summary>
        <code>{getToolName(part)}</code> {STATES[part.state]}
      </summary>
      <pre>{JSON.stringify(part.input, null, 2)}</pre>
      {part.state === "output-available" && <pre>{JSON.stringify(part.output, null, 2)}</pre>}
      {part.state === "output-error" && <p role="alert">{part.errorText}</p>}
    </details>
  );
  return (
    <>
      {card}
      {details}
    </>
  );
}

interface MessageProps {
  readonly message: UIMessage;
  /** Undefined while a message is under way. */
  readonly onRegenerate: (() => void) | undefined;
}

export function Message({ message, onRegenerate }: MessageProps) {
  return (
    <article className={message.role} aria-label={message.role === "user" ? "You" : "Assistant"}>
      {message.parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
        <PartView key={index} part={part} />
      ))}
      {message.role === "assistant" && onRegenerate !== undefined && (
        <button type="button" className="quiet" onClick={onRegenerate}>
          Regenerate
        </button>
      )}
    </article>
  );
}
