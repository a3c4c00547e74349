import { memo, type ReactNode, useEffect, useState } from "react";
import type { ShownCall } from "../log/block.ts";
import { explainQuestion, nameOfCall } from "../log/explain-question.ts";
import { classNames } from "../parts/class-names.ts";
import { formatDuration, pretty } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";
import type { Verb } from "../session/thread-session.ts";
import { DecisionCard } from "./decision-card.tsx";
import { FramedPage } from "./framed-page.tsx";
import { LineDiff } from "./line-diff.tsx";

interface ToolCardProps {
  readonly call: ShownCall;
  readonly decide?: ((call: ShownCall, verb: Verb) => Promise<void>) | undefined;
  /** Called when the keyboard has nothing left to do on the card. */
  readonly leave?: (() => void) | undefined;
  /** What another agent did for the call. */
  readonly children?: ReactNode;
}

/** A tool call: its arguments, its progress, its result, and its question while it needs approval. */
export const ToolCard = memo(function ToolCard({ call, decide, leave, children }: ToolCardProps): ReactNode {
  const { tool, status, question, progress } = call;
  const isAsking = status === "needs approval" && question !== undefined;
  const [isOpen, setOpen] = useState(isAsking);
  // The exact arguments are in sight before somebody agrees to them.
  useEffect(() => setOpen(isAsking), [isAsking]);
  const brief = call.arguments === undefined ? call.draft : JSON.stringify(call.arguments);
  const took = call.startedAt !== undefined && call.endedAt !== undefined ? call.endedAt - call.startedAt : undefined;
  return (
    <article
      aria-label={`Tool call ${tool}`}
      className={classNames(
        "overflow-hidden rounded-lg border",
        isAsking ? "border-wait-line bg-wait-ground" : "border-line bg-ground",
      )}
    >
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="flex min-h-9 items-center gap-2 px-3 py-1.5 hover:bg-hover">
          <Icon name={call.child === undefined ? "tool" : "agents"} size={14} className="text-faint" />
          <span className="font-mono text-sm font-semibold">{nameOfCall(tool)}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-xs text-faint">{brief}</span>
          {took !== undefined && <span className="text-xs text-faint tabular-nums">{formatDuration(took)}</span>}
          <Status word={status} />
          <Icon
            name="chevron"
            size={12}
            className={classNames("text-faint transition-transform duration-100", isOpen && "rotate-90")}
          />
        </summary>
        <div className="flex flex-col gap-2 border-t border-line px-3 py-2.5">
          {call.original === undefined ? (
            <Values title="Arguments" label={`Arguments of ${tool}`} value={call.arguments ?? call.draft} />
          ) : (
            <section className="flex flex-col gap-1">
              <h2 className="text-xs font-semibold text-faint">Arguments, edited</h2>
              <LineDiff before={call.original} after={call.arguments} label={`Arguments of ${tool}`} />
            </section>
          )}
          {call.result !== undefined && call.result !== null && (
            <Values title="Result" label={`Result of ${tool}`} value={call.result} />
          )}
        </div>
      </details>
      {progress !== undefined && status === "running" && (
        <div className="flex items-center gap-3 border-t border-line px-3 py-2 text-sm text-faint">
          <progress
            aria-label={`Progress of ${tool}`}
            className="h-1.5 flex-1 accent-accent"
            {...(progress.value !== undefined && { value: progress.value })}
            max={progress.total ?? 1}
          />
          <span className="tabular-nums">{progress.message}</span>
        </div>
      )}
      {isAsking && decide !== undefined && (
        <div className="border-t border-wait-line px-3 py-3">
          <DecisionCard
            tool={tool}
            explained={explainQuestion({
              tool,
              action: question.ticket.suspension.action,
              ...(question.ticket.suspension.message !== undefined && { message: question.ticket.suspension.message }),
              parameters: question.ticket.suspension.parameters,
              arguments: call.arguments,
              resumeMode: question.ticket.resume_mode,
            })}
            arguments={call.arguments}
            expiresAt={question.expires_at}
            decide={(verb) => decide(call, verb)}
            {...(leave !== undefined && { leave })}
          />
        </div>
      )}
      {call.page !== undefined && (
        <FramedPage tool={tool} html={call.page} input={call.arguments} result={call.result} />
      )}
      {children}
    </article>
  );
});

const LONGEST = 4000;

function Values({
  title,
  label,
  value,
}: {
  readonly title: string;
  readonly label: string;
  readonly value: unknown;
}): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const text = pretty(value);
  const isCut = text.length > LONGEST && !isWhole;
  return (
    <section className="flex flex-col gap-1">
      <h2 className="text-xs font-semibold text-faint">{title}</h2>
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className="max-h-80 overflow-auto rounded-md bg-side p-2.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap"
      >
        {isCut ? `${text.slice(0, LONGEST)}…` : text}
      </pre>
      {isCut && (
        <button type="button" className="self-start text-sm text-accent underline" onClick={() => setWhole(true)}>
          show all ({Math.round(text.length / 1000)} kB)
        </button>
      )}
    </section>
  );
}
