import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useObservable } from "../../api/observable.ts";
import { queryClient, useAgents, useThreads, useWorkflows } from "../../api/queries.ts";
import { loadAgents } from "../../api/requests.ts";
import type { Agent } from "../../api/types.ts";
import { Conversation, type ConversationActions } from "../../components/conversation.tsx";
import { Inspector } from "../../components/inspector.tsx";
import { RerunDialog } from "../../components/rerun-dialog.tsx";
import { RewindBar, TimeBar } from "../../components/time-bar.tsx";
import { useCursorKeys, useFork } from "../../components/use-cursor.ts";
import { nameOfCall } from "../../log/explain-question.ts";
import { describeVersions, locateBlocks, momentAt } from "../../log/versions.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNote, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { useMedia } from "../../parts/use-media.ts";
import { useStored } from "../../parts/use-stored.ts";
import { changeDraft, draftOf, moveDraft, returnDraft, type Said, takeDraft } from "../../session/drafts.ts";
import type { QueuedMessage } from "../../session/thread-session.ts";
import { useSession } from "../../session/use-session.ts";
import { Composer } from "./composer.tsx";
import { ThreadList } from "./thread-list.tsx";
import { ThreadMenu } from "./thread-menu.tsx";

/** Messages to try, by the tool they need: only those that the agent can act on are offered. */
const SUGGESTIONS: Readonly<Record<string, string>> = {
  calculator: "what is 12 * 7",
  lookUp: "explain replay",
  slowTask: "do something slow",
  sendEmail: "send a mail to ann@example.com saying lunch is ready",
  failingTool: "fail",
  clock: "what time is it",
};

/** Talking with an agent: the conversation, what needs a decision, and every earlier moment of it. */
export function ChatScreen(): ReactNode {
  const { threadId } = useParams({ strict: false });
  const { at } = useSearch({ strict: false });
  const navigate = useNavigate();
  const open = (id: string | undefined, replace = false): void => {
    if (id === undefined) void navigate({ to: "/", replace });
    else void navigate({ to: "/threads/$threadId", params: { threadId: id }, replace });
  };
  const { session, snapshot } = useSession(threadId, (id) => {
    if (id === threadId) return;
    if (threadId === undefined) moveDraft(id);
    open(id, true);
  });
  const agents = useAgents();
  const workflows = useWorkflows();
  // A workflow takes inputs, and has a form for them.
  const talkers = (agents.data ?? []).filter(({ id }) => !workflows.data?.some((workflow) => workflow.id === id));
  const threads = useThreads();
  const [chosen, setChosen] = useState<string>();
  const draft = useObservable(draftOf(threadId));
  const { editing } = draft;
  const [problem, setProblem] = useState<unknown>();
  const [isRerunning, setRerunning] = useState(false);
  const [isListOpen, setListOpen] = useState(false);
  const isWide = useMedia("(min-width: 1024px)");
  const isWider = useMedia("(min-width: 1180px)");
  const [inspects, setInspects] = useStored("reprise.inspects", "yes");
  const [isSheetOpen, setSheetOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);

  const { phase, versions, queued, questions, isBusy, logs } = snapshot;
  const moments = useMemo(() => describeVersions(versions), [versions]);
  const views = useMemo(() => locateBlocks(snapshot.views, versions), [snapshot.views, versions]);
  const lastAgent = snapshot.views.at(-1)?.agentId;
  const agentId =
    chosen ?? (agents.data?.some(({ id }) => id === lastAgent) ? lastAgent : undefined) ?? firstAgent(agents.data);
  const agent = agents.data?.find(({ id }) => id === agentId);
  const names = useMemo(() => new Map((agents.data ?? []).map(({ id, name }) => [id, name])), [agents.data]);

  const move = useCallback(
    (version: number | undefined) =>
      void navigate({ to: ".", search: version === undefined ? {} : { at: version }, replace: true }),
    [navigate],
  );
  const fork = useFork(snapshot.threadId, at, (id) => open(id), setProblem);
  useCursorKeys({ moments, at, move, fork });
  const moment = at === undefined ? undefined : momentAt(moments, at);
  const rerunRun = moment?.runId ?? undefined;

  useEffect(() => {
    setChosen(undefined);
    setProblem(undefined);
    if (threadId === undefined) field.current?.focus();
  }, [threadId]);
  // A run that somebody else started on this thread.
  const newest = threads.data?.find(({ thread_id }) => thread_id === threadId)?.last_run?.run_id;
  useEffect(() => {
    if (newest !== undefined) session.notice(newest);
  }, [newest, session]);
  useEffect(() => {
    document.title = questions.length > 0 ? "Needs approval · Reprise" : "Reprise";
    return () => {
      document.title = "Reprise";
    };
  }, [questions.length]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || document.querySelector("dialog[open]") !== null) return;
      if (at !== undefined) move(undefined);
      else if (isBusy) session.stop().catch(setProblem);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isBusy, session, at, move]);

  const send = (said: Said, policy: "continue" | "enqueue"): void => {
    takeDraft(threadId);
    setProblem(undefined);
    const sent =
      editing === undefined
        ? session.say({ agentId: agentId ?? loadFirstAgent(), ...said, policy })
        : session.edit(editing.runId, agentId ?? editing.agentId, said);
    sent.catch((error: unknown) => {
      // What was refused can be changed and sent again, files and all, also after its thread was left.
      returnDraft(session.threadId, said, editing);
      if (!session.isClosed) setProblem(error);
    });
  };
  const actions = useMemo(
    (): ConversationActions => ({
      decide: (call, verb) => session.decide(call, verb),
      retry: (runId, agent) => {
        session.retry(runId, agent).catch(setProblem);
      },
      edit: (runId, agent, said) => {
        const { text, files, editing: other } = draftOf(session.threadId).value;
        const before = other?.before ?? { text, files };
        changeDraft(session.threadId, (now) => ({ ...now, ...said, editing: { runId, agentId: agent, before } }));
        field.current?.focus();
      },
      act: (agent, said) => {
        session.say({ agentId: agent, text: said }).catch(setProblem);
      },
      leave: () => field.current?.focus(),
    }),
    [session],
  );
  const log = useFollowedEnd(snapshot);
  const isNew = phase === "new" && snapshot.views.length === 0;
  const offered = isNew && agent !== undefined ? suggestionsFor(agent) : [];
  const list = (
    <ThreadList
      current={threadId}
      open={(id) => {
        setListOpen(false);
        open(id);
      }}
      begin={() => {
        setListOpen(false);
        open(undefined);
        requestAnimationFrame(() => field.current?.focus());
      }}
    />
  );
  const inspector = snapshot.threadId !== undefined && (
    <Inspector
      threadId={snapshot.threadId}
      versions={versions}
      at={at}
      logs={logs}
      move={move}
      openRun={(runId) => void navigate({ to: "/runs/$runId", params: { runId } })}
    />
  );
  const hasPanel = isWider && inspects === "yes" && snapshot.threadId !== undefined;
  return (
    <div className="flex h-full min-h-0">
      {isWide && (
        <aside aria-label="Threads" className="w-56 shrink-0 border-r border-line">
          {list}
        </aside>
      )}
      {isListOpen && (
        <Dialog title="Threads" side="left" close={() => setListOpen(false)}>
          <div className="h-full">{list}</div>
        </Dialog>
      )}
      <main className="flex min-h-0 min-w-0 flex-1 flex-col">
        {!isNew && <h1 className="sr-only">Conversation</h1>}
        <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3">
          {!isWide && (
            <Button small icon="menu" onClick={() => setListOpen(true)}>
              Threads
            </Button>
          )}
          <label className="flex min-w-0 items-center gap-2">
            <span className="sr-only">Agent</span>
            <select
              value={agentId ?? ""}
              onChange={(event) => setChosen(event.target.value)}
              className="h-8 max-w-44 min-w-0 rounded-md border border-line bg-ground px-2 font-medium"
            >
              {talkers.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <p className="min-w-0 flex-1 truncate text-sm text-faint max-md:invisible">{agent?.description}</p>
          {isBusy && at === undefined && <Status word="running">live</Status>}
          {snapshot.threadId !== undefined && <ThreadMenu threadId={snapshot.threadId} fork={fork} fail={setProblem} />}
          {snapshot.threadId !== undefined && (
            <IconButton
              icon="panel"
              label={hasPanel ? "Close the inspector" : "Open the inspector"}
              onClick={() => (isWider ? setInspects(hasPanel ? "no" : "yes") : setSheetOpen(true))}
            />
          )}
        </header>
        <div className="relative min-h-0 flex-1">
          {problem !== undefined && (
            <div className="absolute inset-x-3 top-3 z-10 mx-auto max-w-2xl">
              <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />
            </div>
          )}
          <section
            ref={log.frame}
            onScroll={log.onScroll}
            role="log"
            aria-label="Conversation"
            aria-busy={isBusy}
            tabIndex={-1}
            className="h-full overflow-y-auto px-4 py-5 outline-none"
          >
            <div className="mx-auto flex max-w-2xl flex-col gap-5">
              {isNew && <Welcome />}
              {phase === "loading" && <Skeleton />}
              {snapshot.error !== undefined && <ErrorNote error={snapshot.error} retry={() => void session.load()} />}
              <Conversation views={views} actions={actions} at={at} select={move} agentNames={names} />
              {queued.map((message) => (
                <Queued
                  key={message.runId}
                  message={message}
                  remove={() => void session.dequeue(message.runId).catch(setProblem)}
                />
              ))}
            </div>
          </section>
        </div>
        <div className="shrink-0 px-4 pb-2">
          <div className="mx-auto max-w-2xl">
            {at === undefined ? (
              <Composer
                field={field}
                threadId={threadId}
                draft={draft}
                isBusy={isBusy}
                asking={questions.map(({ tool }) => nameOfCall(tool))}
                suggestions={offered}
                send={send}
                stop={() => {
                  field.current?.focus();
                  session.stop().catch(setProblem);
                }}
                cancelEdit={
                  editing && (() => changeDraft(threadId, ({ uploading }) => ({ ...editing.before, uploading })))
                }
              />
            ) : (
              <RewindBar
                moments={moments}
                at={at}
                fork={fork}
                rerun={rerunRun === undefined ? undefined : () => setRerunning(true)}
                back={() => move(undefined)}
              />
            )}
          </div>
        </div>
        <TimeBar moments={moments} at={at} move={move} isLive={isBusy} />
      </main>
      {hasPanel && (
        <aside aria-label="Inspector" className="w-[360px] shrink-0 border-l border-line 2xl:w-[420px]">
          {inspector}
        </aside>
      )}
      {isSheetOpen && !isWider && (
        <Dialog title="Inspector" side="right" close={() => setSheetOpen(false)}>
          <div className="h-[calc(100dvh-52px)]">{inspector}</div>
        </Dialog>
      )}
      {isRerunning && rerunRun !== undefined && moment !== undefined && (
        <RerunDialog runId={rerunRun} moment={moment} close={() => setRerunning(false)} />
      )}
    </div>
  );
}

function firstAgent(agents: readonly Agent[] | undefined): string | undefined {
  return agents?.find(({ id }) => id === "default")?.id ?? agents?.[0]?.id;
}

/** For a message that is sent before the agents are known. */
async function loadFirstAgent(): Promise<string> {
  return firstAgent(await queryClient.ensureQueryData({ queryKey: ["agents"], queryFn: loadAgents })) ?? "";
}

function suggestionsFor({ tools }: Agent): readonly string[] {
  return Object.entries(SUGGESTIONS).flatMap(([tool, said]) => (tools.some(({ id }) => id === tool) ? [said] : []));
}

function Welcome(): ReactNode {
  return (
    <div className="flex flex-col items-center gap-2 py-16 text-center">
      <h1 className="text-xl font-semibold">Start a conversation</h1>
      <p className="max-w-sm text-faint">
        Every run is stored. Close this page or kill the server: the run continues where it was.
      </p>
    </div>
  );
}

function Queued({ message, remove }: { readonly message: QueuedMessage; readonly remove: () => void }): ReactNode {
  return (
    <div role="group" aria-label="Queued message" className="flex flex-col items-end gap-1 opacity-80">
      <p className="max-w-[85%] rounded-lg border border-dashed border-line-strong px-3 py-2 break-words whitespace-pre-wrap">
        {message.text}
      </p>
      <p className="text-xs text-faint">
        Queued: sent when this run is done.{" "}
        <button type="button" className="underline" onClick={remove}>
          Remove
        </button>
      </p>
    </div>
  );
}

/** Keeps the end in sight unless the reader has scrolled away from it. */
function useFollowedEnd(watched: unknown) {
  const frame = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever grows, the end stays in sight.
  useLayoutEffect(() => {
    const { current } = frame;
    if (current !== null && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [watched]);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) current.scrollTop = current.scrollHeight;
    });
    observer.observe(current);
    if (current.firstElementChild !== null) observer.observe(current.firstElementChild);
    return () => observer.disconnect();
  }, []);
  const onScroll = (): void => {
    const { current } = frame;
    if (current !== null) isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < 80;
  };
  return { frame, onScroll };
}
