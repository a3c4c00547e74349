import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { exampleOf } from "../log/example-of.ts";
import type { Explained } from "../log/explain-question.ts";
import { Button } from "../parts/button.tsx";
import { formatCountdown, pretty } from "../parts/format.ts";
import { messageOf } from "../parts/notice.tsx";
import type { Verb } from "../session/thread-session.ts";
import { LineDiff } from "./line-diff.tsx";

interface DecisionCardProps {
  readonly tool: string;
  readonly explained: Explained;
  readonly arguments: unknown;
  /** The JSON Schema of an answer, for an example to begin with. */
  readonly schema?: unknown;
  readonly expiresAt?: number | undefined;
  readonly decide: (verb: Verb) => Promise<void>;
  /** Called when the keyboard has nothing left to do here. */
  readonly leave?: () => void;
  /** The keys that decide, where the card has the screen for itself. */
  readonly hasKeys?: boolean;
  /** Set by a key: opens the field to edit, or to say why. */
  readonly wish?: "edit" | "deny" | undefined;
  readonly explainsAnswers?: boolean;
}

type Mode = "ask" | "edit" | "supply";

/** An open question with its answers. The exact arguments stand above it; nothing is sent before the person chose. */
export function DecisionCard(props: DecisionCardProps): ReactNode {
  const { tool, explained, decide, expiresAt, leave, hasKeys = false, wish, explainsAnswers = false } = props;
  const [mode, setMode] = useState<Mode>("ask");
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState("");
  const [reason, setReason] = useState<string | undefined>(undefined);
  const approve = useRef<HTMLButtonElement>(null);
  const reasonField = useRef<HTMLInputElement>(null);
  const [returned, setReturned] = useState(false);
  useEffect(() => {
    if (wish === "edit" && explained.edit !== undefined) setMode("edit");
    if (wish === "deny") {
      setReason((before) => before ?? "");
      requestAnimationFrame(() => reasonField.current?.focus());
    }
  }, [wish, explained.edit]);
  useEffect(() => {
    if (mode === "ask" && returned) approve.current?.focus();
  }, [mode, returned]);

  const answer = async (verb: Verb): Promise<void> => {
    setSending(true);
    setProblem("");
    try {
      await decide(reason === undefined || reason === "" ? verb : { ...verb, reason });
      leave?.();
    } catch (error) {
      // Said where it was asked; the question is open again.
      setProblem(messageOf(error));
      setSending(false);
    }
  };
  const back = (): void => {
    setProblem("");
    setReturned(true);
    setMode("ask");
  };
  if (mode !== "ask")
    return (
      <EditForm
        key={mode}
        tool={tool}
        before={mode === "edit" ? props.arguments : exampleOf(props.schema)}
        kind={mode}
        problem={problem}
        isSending={isSending}
        back={back}
        send={(value) =>
          void answer(mode === "edit" ? { action: "edit", arguments: value } : { action: "supply", result: value })
        }
        complain={setProblem}
      />
    );
  const choices = (
    [
      ["Allow in this thread", "thread"],
      ["Always allow", "always"],
    ] as const
  ).filter(() => explained.remembers !== undefined);
  return (
    <div className="flex flex-col gap-2.5">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="min-w-0 flex-1 break-words">{explained.message}</span>
        {expiresAt !== undefined && <Countdown until={expiresAt} />}
      </p>
      <p role="alert" className="text-bad empty:hidden">
        {problem}
      </p>
      {reason === undefined ? (
        <Button small kind="quiet" className="-ml-2 self-start" onClick={() => setReason("")}>
          Add a reason
        </Button>
      ) : (
        <label className="flex flex-col gap-1 text-sm text-faint">
          Reason, which the model reads
          <input
            ref={reasonField}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            className="h-8 rounded-md border border-line-strong bg-ground px-2 text-base text-ink"
          />
        </label>
      )}
      <div className="flex flex-wrap gap-2">
        {explained.approve !== undefined && (
          <Button
            ref={approve}
            kind="primary"
            disabled={isSending}
            title={explained.approve.effect}
            {...(hasKeys && { hint: "A" })}
            onClick={() => void answer({ action: "approve" })}
          >
            {explained.approve.label}
          </Button>
        )}
        {choices.map(([label, remember]) => (
          <Button
            key={remember}
            disabled={isSending}
            title={`Later calls of ${explained.remembers} run without asking.`}
            onClick={() => void answer({ action: "approve", remember })}
          >
            {label}
          </Button>
        ))}
        {explained.supply !== undefined && (
          <Button disabled={isSending} title={explained.supply.effect} onClick={() => setMode("supply")}>
            {explained.supply.label}
          </Button>
        )}
        <Button
          kind="danger"
          disabled={isSending}
          title={explained.deny.effect}
          {...(hasKeys && { hint: "D" })}
          onClick={() => void answer({ action: "deny" })}
        >
          {explained.deny.label}
        </Button>
        {explained.edit !== undefined && (
          <Button
            disabled={isSending}
            title={explained.edit.effect}
            {...(hasKeys && { hint: "E" })}
            onClick={() => setMode("edit")}
          >
            {explained.edit.label}
          </Button>
        )}
      </div>
      {explainsAnswers && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm text-faint">
          {[explained.approve, explained.supply, explained.deny, explained.edit].map(
            (each) =>
              each !== undefined && (
                <div key={each.label} className="contents">
                  <dt className="font-medium text-ink">{each.label.replace("…", "")}</dt>
                  <dd>{each.effect}</dd>
                </div>
              ),
          )}
        </dl>
      )}
    </div>
  );
}

interface EditFormProps {
  readonly tool: string;
  readonly kind: "edit" | "supply";
  readonly before: unknown;
  readonly problem: string;
  readonly isSending: boolean;
  readonly back: () => void;
  readonly send: (value: unknown) => void;
  readonly complain: (text: string) => void;
}

function EditForm({ tool, kind, before, problem, isSending, back, send, complain }: EditFormProps): ReactNode {
  const [text, setText] = useState(() => pretty(before));
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    field.current?.focus();
    field.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const submit = (): void => {
    const value = readJson(text);
    if (value.problem === undefined) send(value.json);
    else complain(`The ${kind === "edit" ? "arguments" : "result"} must be JSON: ${value.problem}`);
  };
  const edited = readJson(text);
  const isChanged = kind === "edit" && edited.problem === undefined && pretty(edited.json) !== pretty(before);
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="sr-only">
        {kind === "edit" ? `New arguments of ${tool}` : `Result of ${tool} instead of running it`}
      </label>
      <textarea
        id={id}
        ref={field}
        value={text}
        spellCheck={false}
        rows={Math.min(text.split("\n").length + 1, 16)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
          if (event.key !== "Escape") return;
          event.stopPropagation();
          event.nativeEvent.stopImmediatePropagation();
          back();
        }}
        className="w-full rounded-md border border-line-strong bg-ground p-2 font-mono text-xs leading-5"
      />
      {isChanged && <LineDiff before={before} after={edited.json} label="What you change" />}
      <p role="alert" className="text-bad empty:hidden">
        {problem}
      </p>
      <div className="flex gap-2">
        <Button kind="primary" disabled={isSending} onClick={submit}>
          {kind === "edit" ? "Run with these" : "Use this result"}
        </Button>
        <Button onClick={back}>Back</Button>
      </div>
    </div>
  );
}

function readJson(text: string): { readonly json?: unknown; readonly problem?: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "" };
  }
}

/** How long a question stays open. */
export function Countdown({ until }: { readonly until: number }): ReactNode {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="text-sm whitespace-nowrap text-wait tabular-nums">expires {formatCountdown(until - now)}</span>
  );
}
