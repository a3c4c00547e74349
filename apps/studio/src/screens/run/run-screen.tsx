import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { ask } from "../../api/connection.ts";
import { useObservable } from "../../api/observable.ts";
import { useAgents } from "../../api/queries.ts";
import { answerOf, client } from "../../api/requests.ts";
import { saveFile } from "../../api/save-file.ts";
import type { Run, Version } from "../../api/types.ts";
import { ActList } from "../../components/act-list.tsx";
import { AgentTree } from "../../components/agent-tree.tsx";
import { Conversation } from "../../components/conversation.tsx";
import { DeleteThread } from "../../components/delete-thread.tsx";
import { Inspector, useRunEvents } from "../../components/inspector.tsx";
import { LineDiff } from "../../components/line-diff.tsx";
import { RerunDialog } from "../../components/rerun-dialog.tsx";
import { RewindBar, TimeBar } from "../../components/time-bar.tsx";
import { useCompareKey, useCursorKeys, useFork } from "../../components/use-cursor.ts";
import { Waterfall } from "../../components/waterfall.tsx";
import { baseAgent } from "../../log/base-agent.ts";
import { buildSpans, type Span } from "../../log/build-spans.ts";
import { statusOfRun } from "../../log/fold-messages.ts";
import { describeReplay } from "../../log/replay.ts";
import { tellStory } from "../../log/tell-story.ts";
import { describeVersions, locateBlocks, momentAt, seqAt } from "../../log/versions.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatCost, formatCount, formatDuration, formatTime } from "../../parts/format.ts";
import { ErrorNote, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { useMedia } from "../../parts/use-media.ts";
import { useSession } from "../../session/use-session.ts";
import { rememberVerdict, verdicts } from "../../session/verdicts.ts";
import { SaveCase } from "./save-case.tsx";
import { SpanDetails } from "./span-details.tsx";

/** One run: told in sentences, then over time; everything at the version that the cursor is at. */
export function RunScreen(): ReactNode {
  const { runId = "" } = useParams({ strict: false });
  const run = useQuery({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => answerOf(client.GET("/v1/runs/{id}", { params: { path: { id: runId } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === "done" ? false : 2_000),
  });
  if (run.error !== null)
    return (
      <ScreenError
        icon="runs"
        missing="There is no such run"
        error={run.error}
        retry={() => void run.refetch()}
        action={
          <Link to="/runs" className="text-accent underline">
            Show all runs
          </Link>
        }
      />
    );
  return run.data === undefined ? <Skeleton /> : <RunPage key={runId} run={run.data} />;
}

function RunPage({ run }: { readonly run: Run }): ReactNode {
  const { run_id: runId, thread_id: threadId } = run;
  const { at } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { snapshot } = useSession(threadId);
  const { versions, logs, isBusy } = snapshot;
  const log = useRunEvents(runId, logs.get(runId));
  const isWide = useMedia("(min-width: 1024px)");
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isRerunning, setRerunning] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [isSavingCase, setSavingCase] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [isChecking, setChecking] = useState(false);
  const known = useObservable(verdicts).get(runId);
  const replay = isChecking ? "checking" : known;
  const [selected, setSelected] = useState<Span>();
  const agents = useAgents();
  const agent = agents.data?.find(({ id }) => id === baseAgent(run.agent_id));
  const readers = useMemo(
    () =>
      new Set(
        (agents.data ?? []).flatMap(({ tools }) =>
          tools.flatMap((tool) => (tool.class === "read_only" ? [tool.id] : [])),
        ),
      ),
    [agents.data],
  );

  const own = useMemo(() => versions.filter(({ run_id }) => run_id === runId), [versions, runId]);
  const moments = useMemo(() => describeVersions(own), [own]);
  const move = useCallback(
    (version: number | undefined) =>
      void navigate({ to: ".", search: version === undefined ? {} : { at: version }, replace: true }),
    [navigate],
  );
  const openThread = useCallback(
    (id: string) => void navigate({ to: "/threads/$threadId", params: { threadId: id } }),
    [navigate],
  );
  const openRun = (id: string): void => void navigate({ to: "/runs/$runId", params: { runId: id } });
  const fork = useFork(threadId, at, openThread, setProblem);
  useCursorKeys({ moments, at, move, fork });
  const moment = at === undefined ? moments.at(-1) : momentAt(moments, at);
  const seq = at === undefined ? undefined : seqAt(versions, runId, at);
  const { events, count } = log;
  const acts = useMemo(() => (events === undefined ? [] : tellStory(events.slice(0, count))), [events, count]);
  const spans = useMemo(
    () => (events === undefined ? [] : buildSpans(events.slice(0, count), run.agent_id ?? "")),
    [events, count, run.agent_id],
  );
  const views = useMemo(
    () => locateBlocks(snapshot.views, versions).filter((view) => view.runId === runId),
    [snapshot.views, versions, runId],
  );
  const moveTo = (wanted: number): void => {
    const found = own.find((each) => each.run !== undefined && each.run.last_seq >= wanted)?.version;
    move(found === own.at(-1)?.version ? undefined : found);
  };
  const verify = async (): Promise<void> => {
    setProblem(undefined);
    setChecking(true);
    try {
      rememberVerdict(runId, await (await ask(`v1/runs/${encodeURIComponent(runId)}/replay`, { json: {} })).json());
    } catch (error) {
      setProblem(error);
    } finally {
      setChecking(false);
    }
  };
  const verdict = describeReplay(replay);
  const rerunOf = run.metadata !== null && "rerun_of" in run.metadata ? String(run.metadata.rerun_of) : undefined;
  useCompareKey(
    rerunOf === undefined ? undefined : () => void navigate({ to: "/compare/$a/$b", params: { a: rerunOf, b: runId } }),
  );
  const inspector = (
    <Inspector
      threadId={threadId}
      versions={versions}
      at={at}
      logs={logs}
      move={move}
      openRun={openRun}
      only={runId}
      divergent={
        verdict === undefined || verdict.isEqual ? undefined : (verdict.seq ?? firstSeqOf(versions, verdict.version))
      }
      messages={
        <div className="flex flex-col gap-4">
          <Conversation
            views={views}
            at={at}
            {...(agent !== undefined && { agentNames: new Map([[agent.id, agent.name]]) })}
          />
        </div>
      }
    />
  );
  return (
    <div className="flex h-full min-h-0">
      <main className="flex min-h-0 min-w-0 flex-1 flex-col">
        <header className="flex shrink-0 flex-col gap-2 border-b border-line px-4 py-2.5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <h1 className="text-lg font-semibold">{agent?.name ?? baseAgent(run.agent_id)}</h1>
            <Status word={statusOfRun(run)} />
            {verdict === undefined ? (
              run.status === "done" && (
                <Button small kind="quiet" icon="shield" disabled={replay === "checking"} onClick={() => void verify()}>
                  {replay === "checking" ? "Replaying…" : "Verify replay"}
                </Button>
              )
            ) : (
              <span className="flex items-center">
                <Status word={verdict.isEqual ? "verified" : "diverged"} className="font-medium">
                  {verdict.text}
                </Status>
                <IconButton icon="retry" label="Verify replay again" onClick={() => void verify()} />
              </span>
            )}
            <span className="ml-auto flex flex-wrap items-center justify-end gap-1">
              <Button small icon="chat" onClick={() => openThread(threadId)}>
                Open the thread
              </Button>
              {run.status === "done" && (
                <Button small icon="retry" onClick={() => setRerunning(true)}>
                  Re-run
                </Button>
              )}
              {run.status === "done" && (
                <Button small icon="evals" onClick={() => setSavingCase(true)}>
                  Save as case
                </Button>
              )}
              {run.status === "done" && (
                <IconButton
                  icon="download"
                  label="Export the run"
                  onClick={() =>
                    void saveFile(`v1/runs/${encodeURIComponent(runId)}/export`, `${runId}.json`).catch(setProblem)
                  }
                />
              )}
              <IconButton icon="trash" label="Delete the thread" onClick={() => setDeleting(true)} />
              {!isWide && <IconButton icon="panel" label="Open the inspector" onClick={() => setSheetOpen(true)} />}
            </span>
          </div>
          <p className="flex flex-wrap gap-x-4 text-sm text-faint tabular-nums">
            <span>{formatTime(run.created_at, true)}</span>
            <span>{formatDuration(run.updated_at - run.created_at)}</span>
            <span>{run.steps === 1 ? "1 step" : `${run.steps ?? 0} steps`}</span>
            <span>{formatCount((run.input_tokens ?? 0) + (run.output_tokens ?? 0))} tokens</span>
            <span>{formatCost(run.total?.cost_microcents ?? run.cost_microcents ?? 0)}</span>
            <span>{run.origin.replaceAll("_", " ")}</span>
            {run.parent_run_id !== undefined && (
              <Link to="/runs/$runId" params={{ runId: run.parent_run_id }} className="text-accent underline">
                started by another run
              </Link>
            )}
            {rerunOf !== undefined && (
              <Link to="/compare/$a/$b" params={{ a: rerunOf, b: runId }} className="text-accent underline">
                compare with the original
              </Link>
            )}
          </p>
        </header>
        {problem !== undefined && (
          <div className="p-3 pb-0">
            <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />
          </div>
        )}
        {verdict !== undefined && !verdict.isEqual && (
          <section aria-label="Divergence" className="flex flex-col gap-2 border-b border-line bg-bad-ground px-4 py-3">
            <p className="text-bad">
              The replay differs from the recording first in the {verdict.what} of version {verdict.version}.
            </p>
            {verdict.actual !== undefined && (
              <LineDiff before={verdict.expected} after={verdict.actual} label="Recorded and replayed" />
            )}
          </section>
        )}
        <div
          data-scrolls=""
          className="min-h-0 flex-1 overflow-y-auto"
          tabIndex={0}
          role="region"
          aria-label="Story and waterfall"
        >
          {events === undefined ? (
            <Skeleton />
          ) : (
            <>
              <section aria-label="Story">
                <ActList acts={acts} seq={seq} openRun={openRun} select={(act) => moveTo(act.seq)} />
              </section>
              <AgentTree events={events} count={count} runId={runId} open={openRun} />
              <Waterfall
                spans={spans}
                readers={readers}
                seq={seq}
                selected={selected}
                openRun={openRun}
                select={(span) => {
                  setSelected(span);
                  if (span.runId === runId) moveTo(span.seq);
                }}
              />
              {selected !== undefined && (
                <SpanDetails key={selected.id} span={selected} events={events} close={() => setSelected(undefined)} />
              )}
            </>
          )}
        </div>
        {at !== undefined && (
          <div className="shrink-0 px-4 pb-2">
            <RewindBar
              moments={moments}
              at={at}
              fork={fork}
              rerun={run.status === "done" ? () => setRerunning(true) : undefined}
              back={() => move(undefined)}
            />
          </div>
        )}
        <TimeBar moments={moments} at={at} move={move} isLive={isBusy && run.status !== "done"} />
      </main>
      {isWide && (
        <aside aria-label="Inspector" className="w-[400px] shrink-0 border-l border-line 2xl:w-[480px]">
          {inspector}
        </aside>
      )}
      {isSheetOpen && !isWide && (
        <Dialog title="Inspector" side="right" close={() => setSheetOpen(false)}>
          <div className="h-[calc(100dvh-52px)]">{inspector}</div>
        </Dialog>
      )}
      {isRerunning && moment !== undefined && (
        <RerunDialog
          runId={runId}
          moment={at === undefined ? (moments[0] ?? moment) : moment}
          close={() => setRerunning(false)}
        />
      )}
      {isSavingCase && <SaveCase runId={runId} close={() => setSavingCase(false)} />}
      {isDeleting && (
        <DeleteThread
          threadId={threadId}
          close={() => setDeleting(false)}
          done={() => navigate({ to: "/runs" })}
          fail={setProblem}
        />
      )}
    </div>
  );
}

/** The first event that a version of the thread brought. */
function firstSeqOf(versions: readonly Version[], version: number | undefined): number | undefined {
  const at = versions.findIndex((each) => each.version === version);
  const before = versions.slice(0, Math.max(at, 0)).findLast(({ run }) => run !== undefined);
  return at === -1 || before?.run_id !== versions[at]?.run_id ? undefined : (before?.run?.last_seq ?? 0) + 1;
}
