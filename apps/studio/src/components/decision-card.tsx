import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { exampleOf } from "../log/example-of.ts";
import type { Explained } from "../log/explain-question.ts";
import { Button } from "../parts/button.tsx";
import { formatCountdown, pretty } from "../parts/format.ts";
import { isTyping } from "../parts/is-typing.ts";
import { messageOf } from "../parts/notice.tsx";
import type { Verb } from "../session/thread-session.ts";
import { LimitForm } from "./limit-form.tsx";
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
  /** Listens to the keys that decide, where the card has the screen for itself. */
  readonly hasKeys?: boolean;
  readonly explainsAnswers?: boolean;
}

type Mode = "ask" | "edit" | "supply";

/** A reason while it is written. One that a key opened belongs to a denial, which Enter then sends. */
interface Reason {
  readonly text: string;
  readonly denies: boolean;
}

/** An open question with its answers. The exact arguments stand above it; nothing is sent before the person chose. */
export function DecisionCard(props: DecisionCardProps): ReactNode {
  const { tool, explained, decide, expiresAt, leave, hasKeys = false, explainsAnswers = false } = props;
  const [mode, setMode] = useState<Mode>("ask");
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState("");
  const [reason, setReason] = useState<Reason>();
  const approve = useRef<HTMLButtonElement>(null);
  const reasonField = useRef<HTMLInputElement>(null);
  const addReason = useRef<HTMLButtonElement>(null);
  const reasonId = useId();
  const [returned, setReturned] = useState(false);
  useEffect(() => {
    if (mode === "ask" && returned) approve.current?.focus();
  }, [mode, returned]);
  const isWriting = reason !== undefined;
  const wasWriting = useRef(false);
  // Before the next key is pressed: it must reach the field, and no key that decides.
  useLayoutEffect(() => {
    if (isWriting) reasonField.current?.focus();
    else if (wasWriting.current) addReason.current?.focus();
    wasWriting.current = isWriting;
  }, [isWriting]);

  const answer = async (verb: Verb): Promise<void> => {
    setSending(true);
    setProblem("");
    try {
      await decide(reason === undefined || reason.text === "" ? verb : { ...verb, reason: reason.text });
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
  useEffect(() => {
    if (!hasKeys || mode !== "ask") return undefined;
    const onKey = (event: KeyboardEvent): void => {
      // A key that is held down decides once, and nothing is decided while an answer is on its way.
      if (isTyping(event) || event.repeat || isSending) return;
      if (event.key === "a" && explained.approve !== undefined) void answer({ action: "approve" });
      else if (event.key === "d") {
        setReason((before) => ({ text: before?.text ?? "", denies: true }));
        reasonField.current?.focus();
      } else if (event.key === "e" && explained.edit !== undefined) setMode("edit");
      else if (event.key === "e" && explained.supply !== undefined) setMode("supply");
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  if (mode === "edit" && explained.limits !== undefined)
    return (
      <LimitForm
        limits={explained.limits}
        problem={problem}
        isSending={isSending}
        back={back}
        send={(limits) => void answer({ action: "edit", arguments: limits })}
        complain={setProblem}
      />
    );
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
        <Button
          ref={addReason}
          small
          kind="quiet"
          className="-ml-2 self-start"
          onClick={() => setReason({ text: "", denies: false })}
        >
          Add a reason
        </Button>
      ) : (
        <div className="flex flex-col gap-1 text-sm text-faint">
          <label htmlFor={reasonId}>Reason, which the model reads</label>
          <input
            id={reasonId}
            ref={reasonField}
            value={reason.text}
            aria-describedby={reason.denies ? `${reasonId}-keys` : undefined}
            onChange={(event) => setReason({ ...reason, text: event.target.value })}
            onKeyDown={(event) => {
              if (event.key === "Escape") {
                // Closes the field, and not what is around it.
                event.stopPropagation();
                event.nativeEvent.stopImmediatePropagation();
                setReason(undefined);
              } else if (
                event.key === "Enter" &&
                reason.denies &&
                !(isSending || event.repeat || event.nativeEvent.isComposing)
              )
                void answer({ action: "deny" });
            }}
            className="h-8 rounded-md border border-line-strong bg-ground px-2 text-base text-ink"
          />
          {reason.denies && <p id={`${reasonId}-keys`}>Enter denies, Escape closes.</p>}
        </div>
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
