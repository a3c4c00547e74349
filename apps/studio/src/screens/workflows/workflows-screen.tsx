import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useWorkflows } from "../../api/queries.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { Workflow, WorkflowRun } from "../../api/types.ts";
import { NodeDefinition } from "../../components/node-definition.tsx";
import { statusOfRun } from "../../log/fold-messages.ts";
import { listPlaces } from "../../log/fold-nodes.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { formatCost, formatDuration, formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Empty, ErrorNote, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { StartForm } from "./start-form.tsx";
import { Triggers } from "./triggers.tsx";

const WorkflowGraph = lazy(async () => ({
  default: (await import("../../components/workflow-graph.tsx")).WorkflowGraph,
}));

/** All workflows, or one of them: its graph, a form that starts it, what starts it by itself, and its latest runs. */
export function WorkflowsScreen(): ReactNode {
  const { workflowId } = useParams({ strict: false });
  return workflowId === undefined ? <WorkflowList /> : <WorkflowPage key={workflowId} id={workflowId} />;
}

function WorkflowList(): ReactNode {
  const workflows = useWorkflows();
  const runs = useWorkflowRuns(undefined, 50);
  if (workflows.error !== null)
    return (
      <ScreenError
        icon="flow"
        missing="This server has no workflows"
        error={workflows.error}
        retry={() => void workflows.refetch()}
      />
    );
  if (workflows.data === undefined) return <Skeleton />;
  if (workflows.data.length === 0)
    return (
      <main className="h-full">
        <h1 className="sr-only">Workflows</h1>
        <Empty icon="flow" title="No workflows">
          Write one as a YAML file and name it in the configuration: <code className="font-mono">"workflows"</code>.
        </Empty>
      </main>
    );
  return (
    <main tabIndex={0} aria-label="Workflows" className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-8 p-5">
        <section className="flex flex-col gap-3">
          <h1 className="text-xl font-semibold">Workflows</h1>
          <ul className="grid gap-3 md:grid-cols-2">
            {workflows.data.map((workflow) => (
              <li key={workflow.id}>
                <Link
                  to="/workflows/$workflowId"
                  params={{ workflowId: workflow.id }}
                  className="flex h-full flex-col gap-1.5 rounded-lg border border-line p-4 transition-colors duration-100 hover:border-line-strong hover:bg-side"
                >
                  <span className="flex items-center gap-2">
                    <Icon name="flow" className="text-accent" />
                    <span className="truncate font-semibold">{workflow.name}</span>
                    {workflow.version !== undefined && (
                      <span className="text-xs text-faint tabular-nums">{workflow.version}</span>
                    )}
                  </span>
                  <span className="line-clamp-2 flex-1 text-sm text-faint">{workflow.description || workflow.id}</span>
                  <span className="flex flex-wrap gap-x-3 text-xs text-faint">
                    <span>{workflow.nodes === 1 ? "1 node" : `${workflow.nodes} nodes`}</span>
                    <span>{describeTrigger(workflow)}</span>
                    {workflow.tags.length > 0 && <span>{workflow.tags.join(", ")}</span>}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
        <section aria-label="Runs" className="flex flex-col gap-2">
          <h2 className="font-semibold">Latest runs</h2>
          <RunList
            runs={runs.data}
            error={runs.error}
            names={new Map(workflows.data.map(({ id, name }) => [id, name]))}
          />
        </section>
      </div>
    </main>
  );
}

/** What starts it. */
function describeTrigger({ trigger }: Workflow): string {
  const { type, cron } = trigger as { readonly type?: string; readonly cron?: string };
  return type === "schedule" ? `on a schedule, ${cron}` : type === "webhook" ? "by a webhook" : "by hand";
}

function useWorkflowRuns(workflowId: string | undefined, limit: number) {
  return useQuery({
    queryKey: ["workflow-runs", workflowId, limit],
    queryFn: async ({ signal }) => {
      const query = { limit, ...(workflowId !== undefined && { workflow_id: workflowId }) };
      return (await answerOf(client.GET("/v1/workflow-runs", { params: { query }, signal }))).items;
    },
    refetchInterval: 3_000,
  });
}

function RunList({
  runs,
  error,
  names,
}: {
  readonly runs: readonly WorkflowRun[] | undefined;
  readonly error: unknown;
  readonly names?: ReadonlyMap<string, string>;
}): ReactNode {
  if (runs === undefined) return error === null ? <Skeleton rows={3} /> : <ErrorNote error={error} />;
  if (runs.length === 0) return <p className="text-sm text-faint">No run yet. Start one with the form.</p>;
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {runs.map((run) => (
        <li key={run.run_id}>
          <Link
            to="/workflow-runs/$runId"
            params={{ runId: run.run_id }}
            className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-2 hover:bg-hover"
          >
            <Status word={statusOfRun(run)} className="w-32" />
            <span className="min-w-0 flex-1 truncate text-sm">
              {names === undefined ? (
                <span className="tabular-nums">{formatTime(run.created_at, true)}</span>
              ) : (
                <span className="font-medium">{names.get(run.workflow_id ?? "") ?? run.workflow_id}</span>
              )}
            </span>
            <span className="text-xs text-faint tabular-nums">{formatDuration(run.updated_at - run.created_at)}</span>
            {(run.total?.cost_microcents ?? 0) > 0 && (
              <span className="text-xs text-faint tabular-nums">{formatCost(run.total?.cost_microcents ?? 0)}</span>
            )}
            <span className="text-xs text-faint">{run.origin === "user" ? "by hand" : run.origin}</span>
            {names !== undefined && (
              <span className="text-xs text-faint tabular-nums">{formatTime(run.created_at, true)}</span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function WorkflowPage({ id }: { readonly id: string }): ReactNode {
  const navigate = useNavigate();
  const workflow = useQuery({
    queryKey: ["workflow", id],
    queryFn: ({ signal }) => answerOf(client.GET("/v1/workflows/{id}", { params: { path: { id } }, signal })),
    staleTime: 30_000,
  });
  const runs = useWorkflowRuns(id, 20);
  const [selected, setSelected] = useState<string>();
  if (workflow.error !== null)
    return (
      <ScreenError
        icon="flow"
        missing={`There is no workflow ${id}`}
        error={workflow.error}
        retry={() => void workflow.refetch()}
        action={<Button onClick={() => void navigate({ to: "/workflows" })}>All workflows</Button>}
      />
    );
  if (workflow.data === undefined) return <Skeleton />;
  const { name, description, version, tags, graph, document } = workflow.data;
  const nodes = graph?.nodes ?? [];
  const shown = listPlaces(nodes).find(({ place }) => place === selected);
  return (
    <main className="flex h-full min-h-0 max-lg:overflow-y-auto lg:flex-row max-lg:flex-col">
      <div className="flex min-w-0 flex-1 flex-col lg:min-h-0">
        <header className="flex shrink-0 flex-col gap-1 border-b border-line px-4 py-2.5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Link to="/workflows" className="text-sm text-faint hover:text-ink">
              Workflows
            </Link>
            <Icon name="chevron" size={12} className="text-faint" />
            <h1 className="text-lg font-semibold">{name}</h1>
            {version !== undefined && <span className="text-sm text-faint tabular-nums">{version}</span>}
            {tags.map((tag) => (
              <span key={tag} className="rounded-full bg-raised px-2 py-0.5 text-xs text-faint">
                {tag}
              </span>
            ))}
          </div>
          <p className="text-sm text-faint">{description}</p>
        </header>
        <section
          aria-label="Graph"
          className="relative min-h-0 flex-1 max-lg:h-[58dvh] max-lg:flex-none max-lg:border-b max-lg:border-line"
        >
          <Suspense fallback={<Skeleton />}>
            <WorkflowGraph
              nodes={nodes}
              selected={selected}
              select={(place) => setSelected(place === selected ? undefined : place)}
            />
          </Suspense>
        </section>
        {shown !== undefined && (
          <section
            aria-label={`Node ${shown.node.id}`}
            className="max-h-[45%] shrink-0 overflow-y-auto border-t border-line p-4 max-lg:max-h-none max-lg:border-t-0 max-lg:border-b"
          >
            <div className="flex items-start gap-2">
              <div className="min-w-0 flex-1">
                <NodeDefinition place={shown.place} node={shown.node} document={document} />
              </div>
              <IconButton icon="cross" label="Close the node" onClick={() => setSelected(undefined)} />
            </div>
          </section>
        )}
      </div>
      <aside
        aria-label="Start and runs"
        className="flex shrink-0 flex-col gap-6 p-4 lg:w-[380px] lg:overflow-y-auto lg:border-l lg:border-line"
      >
        <StartForm workflow={workflow.data} />
        <Triggers workflow={workflow.data} />
        <section aria-label="Runs" className="flex flex-col gap-2">
          <h2 className="font-semibold">Latest runs</h2>
          <RunList runs={runs.data} error={runs.error} />
        </section>
      </aside>
    </main>
  );
}
