import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ask, randomId } from "../../api/connection.ts";
import { queryClient, useDecisions, useThreads } from "../../api/queries.ts";
import type { OpenDecision } from "../../api/types.ts";
import { Countdown, DecisionCard } from "../../components/decision-card.tsx";
import { JsonTree } from "../../components/json-tree.tsx";
import { fieldsOf } from "../../log/block.ts";
import { type Explained, explainQuestion, nameOfCall } from "../../log/explain-question.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { pretty } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { isTyping } from "../../parts/is-typing.ts";
import { Empty, ErrorNote, Skeleton } from "../../parts/notice.tsx";
import { useMedia } from "../../parts/use-media.ts";
import type { Verb } from "../../session/thread-session.ts";

/** Every open question across threads: the list at the left, the exact arguments and the answers at the right. */
export function InboxScreen(): ReactNode {
  const { callId } = useParams({ strict: false });
  const navigate = useNavigate();
  const decisions = useDecisions();
  const threads = useThreads(200);
  const isWide = useMedia("(min-width: 768px)");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const open = decisions.data ?? [];
  const titles = useMemo(
    () => new Map((threads.data ?? []).map((each) => [each.thread_id, each.title])),
    [threads.data],
  );
  const index = open.findIndex(({ id }) => id === callId);
  const shown = open[index] ?? (isWide && callId === undefined ? open[0] : undefined);
  const show = (question: OpenDecision | undefined): void => {
    if (question === undefined) void navigate({ to: "/inbox", replace: true });
    else void navigate({ to: "/inbox/$callId", params: { callId: question.id }, replace: true });
  };
  const decide = async (question: OpenDecision, verb: Verb): Promise<void> => {
    setSending(true);
    try {
      await send(question, verb);
    } finally {
      setSending(false);
    }
    const at = open.indexOf(question);
    const rest = open.filter((each) => each !== question);
    queryClient.setQueryData(["decisions"], (now: readonly OpenDecision[] = rest) =>
      now.filter(({ id, suspension }) => id !== question.id || suspension !== question.suspension),
    );
    show(isWide ? (rest[at] ?? rest.at(-1)) : undefined);
    void queryClient.invalidateQueries({ queryKey: ["decisions"] });
  };
  const toDeny = open.filter(({ id }) => chosen.has(id));
  const denyChosen = async (): Promise<void> => {
    setProblem(undefined);
    setSending(true);
    const results = await Promise.allSettled(toDeny.map((question) => send(question, { action: "deny" })));
    setSending(false);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) setProblem(failed.reason);
    setChosen(new Set());
    if (shown !== undefined && chosen.has(shown.id)) show(isWide ? open.find(({ id }) => !chosen.has(id)) : undefined);
    await queryClient.invalidateQueries({ queryKey: ["decisions"] });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // Nothing moves while an answer is on its way: the next key would reach another question.
      if (isTyping(event) || isSending) return;
      const at = shown === undefined ? -1 : open.indexOf(shown);
      if (event.key === "j" || event.key === "ArrowDown") show(open[Math.min(at + 1, open.length - 1)]);
      else if (event.key === "k" || event.key === "ArrowUp") show(open[Math.max(at - 1, 0)]);
      else if (event.repeat) return;
      else if (event.key === "D" && toDeny.length > 0) void denyChosen();
      else if (shown === undefined) return;
      else if (event.key === "x") setChosen(toggled(chosen, shown.id));
      else if (event.key === "o") void navigate({ to: "/threads/$threadId", params: { threadId: shown.thread_id } });
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  if (decisions.error !== null && decisions.data === undefined)
    return (
      <div className="p-4">
        <ErrorNote error={decisions.error} retry={() => void decisions.refetch()} />
      </div>
    );
  if (decisions.data === undefined) return <Skeleton />;
  if (open.length === 0 && callId === undefined)
    return (
      <main className="h-full">
        <h1 className="sr-only">Inbox</h1>
        <Empty icon="inbox" title="Nothing needs you">
          Tool calls that need approval, budgets that are spent and calls with an unknown outcome appear here, from all
          threads.
        </Empty>
      </main>
    );
  return (
    <main className="flex h-full min-h-0 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        {!isWide && callId !== undefined && (
          <IconButton icon="menu" label="All questions" onClick={() => show(undefined)} />
        )}
        <h1 className="font-semibold">Inbox</h1>
        <p className="flex-1 text-sm text-faint">
          {open.length === 1 ? "1 open question" : `${open.length} open questions`}
        </p>
        {toDeny.length > 0 && (
          <Button small kind="danger" icon="ban" hint="⇧D" disabled={isSending} onClick={() => void denyChosen()}>
            Deny {toDeny.length} chosen
          </Button>
        )}
      </header>
      {problem !== undefined && (
        <div className="p-3 pb-0">
          <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        {(isWide || callId === undefined) && (
          <nav
            aria-label="Open questions"
            className="min-h-0 shrink-0 overflow-y-auto border-line max-md:w-full md:w-80 md:border-r"
          >
            <ul>
              {open.map((question) => (
                <Row
                  key={question.id}
                  question={question}
                  title={titles.get(question.thread_id) ?? question.thread_id}
                  isShown={question === shown}
                  isChosen={chosen.has(question.id)}
                  choose={() => setChosen(toggled(chosen, question.id))}
                  show={() => show(question)}
                />
              ))}
            </ul>
          </nav>
        )}
        {shown !== undefined ? (
          <Details
            key={`${shown.id}-${shown.suspension}`}
            question={shown}
            title={titles.get(shown.thread_id) ?? shown.thread_id}
            decide={(verb) => decide(shown, verb)}
            openThread={() => void navigate({ to: "/threads/$threadId", params: { threadId: shown.thread_id } })}
            openRun={() => void navigate({ to: "/runs/$runId", params: { runId: shown.run_id } })}
          />
        ) : (
          callId !== undefined && (
            <Empty icon="check" title="This question is closed">
              Somebody decided it, it expired, or a new message took its place.
            </Empty>
          )
        )}
      </div>
    </main>
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Decides about exactly the question that was shown. */
async function send(question: OpenDecision, verb: Verb): Promise<void> {
  const { id, binding_hash, suspension, run_id } = question;
  const json = { ...verb, binding_hash, suspension, run_id, decision_id: randomId() };
  await ask(`v1/decisions/${encodeURIComponent(id)}`, { json });
}

interface RowProps {
  readonly question: OpenDecision;
  readonly title: string;
  readonly isShown: boolean;
  readonly isChosen: boolean;
  readonly choose: () => void;
  readonly show: () => void;
}

function Row({ question, title, isShown, isChosen, choose, show }: RowProps): ReactNode {
  const { arguments: input, expires_at } = question;
  const name = nameOf(question);
  const { title: kind, approve, limits } = explain(question);
  return (
    <li className={classNames("flex items-start border-b border-line", isShown && "bg-hover")}>
      <label className="p-3 pr-0">
        <span className="sr-only">Choose {name}</span>
        <input type="checkbox" checked={isChosen} onChange={choose} className="mt-1 accent-accent" />
      </label>
      <button
        type="button"
        aria-current={isShown}
        onClick={show}
        className="flex min-w-0 flex-1 flex-col gap-0.5 p-3 text-left hover:bg-hover"
      >
        <span className="flex w-full items-center gap-2">
          <span className="truncate font-mono text-sm font-semibold">{name}</span>
          <span className="ml-auto flex items-center gap-1 text-xs whitespace-nowrap text-wait">
            <Icon name={kind === "Unknown outcome" ? "warning" : "hand"} size={12} />
            {kind.toLowerCase()}
          </span>
        </span>
        <span className={classNames("w-full truncate text-xs text-faint", limits === undefined && "font-mono")}>
          {limits === undefined ? JSON.stringify(input) : `${approve?.label}, or stop the run?`}
        </span>
        <span className="flex w-full justify-between gap-2 text-xs text-faint">
          <span className="truncate">{title}</span>
          {expires_at !== undefined && <Countdown until={expires_at} />}
        </span>
      </button>
    </li>
  );
}

interface DetailsProps {
  readonly question: OpenDecision;
  readonly title: string;
  readonly decide: (verb: Verb) => Promise<void>;
  readonly openThread: () => void;
  readonly openRun: () => void;
}

function Details({ question, title, decide, openThread, openRun }: DetailsProps): ReactNode {
  const { tool_id, ticket, arguments: input, expires_at } = question;
  const explained = explain(question);
  const isLarge = pretty(input).length > 2000;
  return (
    <section aria-label={`Question about ${tool_id}`} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-2xl flex-col gap-4 p-5">
        <header className="flex flex-wrap items-center gap-2">
          <h2 className="font-mono text-lg font-semibold">{nameOf(question)}</h2>
          <span className="flex items-center gap-1 rounded-full bg-wait-ground px-2 py-0.5 text-sm text-wait">
            <Icon name={explained.isUnknown ? "warning" : "hand"} size={13} />
            {explained.title}
          </span>
          <span className="ml-auto flex gap-1">
            <Button small kind="quiet" icon="chat" onClick={openThread}>
              Open the thread
            </Button>
            <Button small kind="quiet" icon="runs" onClick={openRun}>
              Open the run
            </Button>
          </span>
        </header>
        <p className="text-sm text-faint">
          Asked in <q>{title}</q>
          {ticket?.asked_by !== undefined && ` by ${ticket.asked_by.replace(":", " ")}`}.
        </p>
        <section className="flex flex-col gap-1">
          <h3 className="text-xs font-semibold text-faint">Exact arguments</h3>
          {isLarge ? (
            <div className="rounded-lg border border-line p-3">
              <JsonTree value={input} label={`Arguments of ${tool_id}`} />
            </div>
          ) : (
            <pre
              role="group"
              tabIndex={0}
              aria-label={`Arguments of ${tool_id}`}
              className="overflow-x-auto rounded-lg border border-line bg-side p-3 font-mono text-sm leading-6 break-words whitespace-pre-wrap"
            >
              {pretty(input)}
            </pre>
          )}
        </section>
        <div className="rounded-lg border border-wait-line bg-wait-ground p-4">
          <DecisionCard
            tool={tool_id}
            explained={explained}
            arguments={input}
            expiresAt={expires_at}
            decide={decide}
            hasKeys
            explainsAnswers
          />
        </div>
      </div>
    </section>
  );
}

function actionOf(ticket: OpenDecision["ticket"]): {
  readonly action?: string;
  readonly message?: string;
  readonly parameters?: unknown;
} {
  const { action, message, parameters } = ticket?.suspension ?? {};
  return {
    ...(action !== undefined && { action }),
    ...(message !== undefined && { message }),
    ...(parameters !== undefined && { parameters }),
  };
}

/** The node of a workflow that asks; undefined for a call of a tool. */
function nodeOf({ ticket }: OpenDecision): string | undefined {
  const { node_id } = fieldsOf(ticket?.suspension.parameters);
  return typeof node_id === "string" ? node_id : undefined;
}

function explain(question: OpenDecision): Explained {
  const { tool_id, ticket } = question;
  return explainQuestion({
    tool: nodeOf(question) ?? tool_id,
    arguments: question.arguments,
    ...actionOf(ticket),
    ...(ticket !== undefined && { resumeMode: ticket.resume_mode }),
  });
}

/** What asks: a node of a workflow, a tool, or the runtime itself, by what it is about. */
function nameOf(question: OpenDecision): string {
  const { tool_id: tool } = question;
  return nodeOf(question) ?? nameOfCall(tool);
}
