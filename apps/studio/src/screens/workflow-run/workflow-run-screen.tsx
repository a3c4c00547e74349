import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { ask } from "../../api/connection.ts";
import { queryClient } from "../../api/queries.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { WorkflowRun } from "../../api/types.ts";
import { statusOfRun } from "../../log/fold-messages.ts";
import { foldNodes, foldPlaces, listPlaces } from "../../log/fold-nodes.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { formatCost, formatCount, formatDuration, formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Empty, ErrorNote, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { useMedia } from "../../parts/use-media.ts";
import { NodeDetails } from "./node-details.tsx";
import { NodeTimeline } from "./node-timeline.tsx";
import { Questions } from "./questions.tsx";
import { RunSummary } from "./run-summary.tsx";
import { useRunLog } from "./use-run-log.ts";

const WorkflowGraph = lazy(async () => ({
  default: (await import("../../components/workflow-graph.tsx")).WorkflowGraph,
}));

/** One run of a workflow: its graph with how each node stands now, the gates that need somebody, and the details of a node. */
export function WorkflowRunScreen(): ReactNode {
  const { runId = "" } = useParams({ strict: false });
  const run = useQuery({
    queryKey: ["workflow-run", runId],
    queryFn: ({ signal }) =>
      answerOf(client.GET("/v1/workflow-runs/{id}", { params: { path: { id: runId } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === "done" ? false : 3_000),
  });
  if (run.error !== null)
    return (
      <ScreenError
        icon="flow"
        missing="There is no such run of a workflow"
        error={run.error}
        retry={() => void run.refetch()}
        action={
          <Link to="/workflows" className="text-accent underline">
            Show all workflows
          </Link>
        }
      />
    );
  return run.data === undefined ? <Skeleton /> : <WorkflowRunPage key={runId} run={run.data} />;
}

type View = "graph" | "timeline";

function WorkflowRunPage({ run }: { readonly run: WorkflowRun }): ReactNode {
  const { run_id: runId, workflow_id: workflowId } = run;
  const { node: selected } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isWide = useMedia("(min-width: 1024px)");
  const [view, setView] = useState<View>("graph");
  const [isCancelling, setCancelling] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  // The graph is that of the document which the run keeps, whatever is served by now.
  const kept = useQuery({
    queryKey: ["workflow-run-graph", runId, run.document],
    queryFn: async ({ signal }) => {
      const params = { path: { id: runId }, query: { workflow: true } };
      return answerOf(client.GET("/v1/workflow-runs/{id}", { params, signal }));
    },
    enabled: run.document !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const log = useRunLog(runId);
  const nodes = useMemo(() => foldNodes(run.nodes ?? [], log.events, runId), [run.nodes, log.events, runId]);
  const places = useMemo(() => foldPlaces(nodes), [nodes]);
  const graph = kept.data?.graph?.nodes;
  const document = useMemo(() => ({ workflow: kept.data?.workflow }), [kept.data?.workflow]);
  const select = (place: string | undefined): void =>
    void navigate({ to: ".", search: place === undefined ? {} : { node: place }, replace: true });
  const isOpen = run.status !== "done";
  const cancel = async (): Promise<void> => {
    setCancelling(false);
    await ask(`v1/workflow-runs/${encodeURIComponent(runId)}/cancel`, { json: {} });
    await queryClient.invalidateQueries({ queryKey: ["workflow-run", runId] });
  };
  const restart = async (from: string): Promise<void> => {
    const path = `v1/workflow-runs/${encodeURIComponent(runId)}/restart`;
    const { run_id } = await (await ask(path, { json: { from } })).json();
    await navigate({ to: "/workflow-runs/$runId", params: { runId: run_id } });
  };
  const cost = [...nodes.values()].reduce((sum, { costMicrocents }) => sum + costMicrocents, 0);
  const tokens = [...nodes.values()].reduce((sum, each) => sum + each.tokens, 0);
  const { restarted_run_id: original, restarted_from: from } = (run.metadata ?? {}) as Readonly<Record<string, string>>;
  const found = graph === undefined ? undefined : listPlaces(graph).find(({ place }) => place === selected);
  const inspector =
    found === undefined ? (
      <RunSummary run={run} />
    ) : (
      <NodeDetails
        key={found.place}
        place={found.place}
        node={found.node}
        document={document}
        view={places.get(found.place)}
        events={log.events}
        restart={isOpen || found.place.includes(".") ? undefined : () => void restart(found.node.id).catch(setProblem)}
        close={() => select(undefined)}
      />
    );
  return (
    <div className="flex h-full min-h-0">
      <main className="flex min-h-0 min-w-0 flex-1 flex-col max-lg:overflow-y-auto">
        <header className="flex shrink-0 flex-col gap-1.5 border-b border-line px-4 py-2.5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <Link
              to="/workflows/$workflowId"
              params={{ workflowId: workflowId ?? "" }}
              className="text-sm text-faint hover:text-ink"
            >
              {workflowId}
            </Link>
            <Icon name="chevron" size={12} className="text-faint" />
            <h1 className="text-lg font-semibold">Run of {formatTime(run.created_at, true)}</h1>
            <Status word={statusOfRun(run)} />
            <span className="ml-auto flex items-center gap-1">
              {isOpen && (
                <Button small kind="danger" icon="stop" onClick={() => setCancelling(true)}>
                  Cancel
                </Button>
              )}
              <Button
                small
                icon="runs"
                onClick={() => void navigate({ to: "/runs/$runId", params: { runId } })}
                title="The run with its story, events and state"
              >
                Open as a run
              </Button>
            </span>
          </div>
          <p className="flex flex-wrap gap-x-4 text-sm text-faint tabular-nums">
            <span>{formatDuration(run.updated_at - run.created_at)}</span>
            <span>{formatCount(tokens)} tokens</span>
            <span>{formatCost(cost)}</span>
            <span>{run.origin === "user" ? "started by hand" : run.origin.replaceAll("_", " ")}</span>
            {original !== undefined && (
              <Link to="/workflow-runs/$runId" params={{ runId: original }} className="text-accent underline">
                restarted from {from}
              </Link>
            )}
          </p>
        </header>
        {(problem ?? log.problem) !== undefined && (
          <div className="p-3 pb-0">
            <ErrorNote error={problem ?? log.problem} dismiss={() => setProblem(undefined)} />
          </div>
        )}
        {isOpen && <Questions run={run} graph={graph ?? []} select={select} />}
        <div role="group" aria-label="View" className="flex shrink-0 gap-1 border-b border-line px-2">
          {(["graph", "timeline"] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={view === each}
              onClick={() => setView(each)}
              className={classNames(
                "border-b-2 px-2.5 py-1.5 text-sm font-medium capitalize",
                view === each ? "border-accent text-ink" : "border-transparent text-faint hover:text-ink",
              )}
            >
              {each}
            </button>
          ))}
        </div>
        <section
          aria-label={view === "graph" ? "Graph" : "Timeline"}
          className="relative min-h-0 flex-1 max-lg:h-[56dvh] max-lg:flex-none"
        >
          {graph === undefined ? (
            kept.error !== null ? (
              <div className="p-4">
                <ErrorNote error={kept.error} retry={() => void kept.refetch()} />
              </div>
            ) : run.document === undefined && isOpen ? (
              <Empty icon="clock" title="It has not begun yet">
                The run is accepted and waits for a process that serves the workflow.
              </Empty>
            ) : run.document === undefined ? (
              <Empty icon="flow" title="The run ended before it had nodes">
                It was cancelled or failed before its first node began.
              </Empty>
            ) : (
              <Skeleton />
            )
          ) : view === "graph" ? (
            <Suspense fallback={<Skeleton />}>
              <WorkflowGraph nodes={graph} places={places} selected={found?.place} select={select} />
            </Suspense>
          ) : (
            <NodeTimeline nodes={nodes} selected={found?.place} select={select} />
          )}
        </section>
        {!isWide && found === undefined && <RunSummary run={run} />}
      </main>
      {isWide && (
        <aside
          aria-label="Inspector"
          data-scrolls=""
          className="w-[400px] shrink-0 overflow-y-auto border-l border-line 2xl:w-[480px]"
        >
          {inspector}
        </aside>
      )}
      {!isWide && found !== undefined && (
        <Dialog title={found.node.name ?? found.node.id} side="right" close={() => select(undefined)}>
          {inspector}
        </Dialog>
      )}
      {isCancelling && (
        <Dialog title="Cancel the run?" close={() => setCancelling(false)}>
          <div className="flex flex-col gap-4">
            <p>Nodes that are running stop, and open gates close. What was done stays done. It cannot be continued.</p>
            <div className="flex justify-end gap-2">
              <Button onClick={() => setCancelling(false)}>Keep it running</Button>
              <Button kind="danger" icon="stop" onClick={() => void cancel().catch(setProblem)}>
                Cancel the run
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  );
}
