import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ask } from "../../api/connection.ts";
import { queryClient } from "../../api/queries.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { Experiment } from "../../api/types.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatCost, formatDuration, formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { CaseRow } from "./case-row.tsx";
import { MODES, nameOf, sayCount, sayTotals } from "./describe-experiment.ts";

const PAGE = 50;

/** One experiment: what it came to, and every case with the checks that did not pass. */
export function ExperimentScreen(): ReactNode {
  const { experimentId = "" } = useParams({ strict: false });
  const experiment = useQuery({
    queryKey: ["experiment", experimentId],
    queryFn: ({ signal }) =>
      answerOf(client.GET("/v1/experiments/{id}", { params: { path: { id: experimentId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (experiment.error !== null)
    return (
      <ScreenError
        icon="evals"
        missing="There is no such experiment"
        error={experiment.error}
        retry={() => void experiment.refetch()}
        action={
          <Link to="/evals" className="text-accent underline">
            Show all experiments
          </Link>
        }
      />
    );
  return experiment.data === undefined ? <Skeleton /> : <Page key={experimentId} experiment={experiment.data} />;
}

function Page({ experiment }: { readonly experiment: Experiment }): ReactNode {
  const { id, mode, agent, trials, verdict, totals, counts, missing } = experiment;
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const cases = useInfiniteQuery({
    queryKey: ["experiment", id, "cases"],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { id }, query: { limit: PAGE, offset: pageParam } };
      return answerOf(client.GET("/v1/experiments/{id}/cases", { params, signal }));
    },
    getNextPageParam: (last, pages) =>
      last.has_more ? pages.reduce((sum, { items }) => sum + items.length, 0) : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const items = cases.data?.pages.flatMap((page) => page.items) ?? [];
  const remove = async (): Promise<void> => {
    await ask(`v1/experiments/${encodeURIComponent(id)}`, { method: "DELETE" });
    await navigate({ to: "/evals" });
    await queryClient.invalidateQueries({ queryKey: ["experiments"] });
  };
  return (
    <main tabIndex={0} aria-label="Experiment" className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-5">
        <header className="flex flex-col gap-1.5">
          <Link to="/evals" className="flex items-center gap-1 self-start text-sm text-faint hover:text-ink">
            <Icon name="chevron" size={12} className="rotate-180" />
            Evaluations
          </Link>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <h1 className="min-w-0 text-xl font-semibold break-words">{nameOf(experiment)}</h1>
            <Status word={verdict} className="font-medium" />
            <span className="ml-auto flex items-center gap-1">
              <CompareWith experiment={experiment} />
              <IconButton icon="trash" label="Delete the experiment" onClick={() => setDeleting(true)} />
            </span>
          </div>
          <p className="flex flex-wrap gap-x-4 text-sm text-faint tabular-nums">
            <span>{sayTotals(totals)}</span>
            <span>{formatTime(experiment.started_at, true)}</span>
            <span>{formatDuration(experiment.duration_ms)}</span>
            <span>{formatCost(experiment.cost_microcents)}</span>
            {trials > 1 && <span>{trials} trials a case</span>}
            {agent !== undefined && <span>played to {agent}</span>}
          </p>
          <p className="text-sm text-faint">
            <span className="font-medium text-ink">{mode}</span>: {MODES[mode]}.{" "}
            {sayCount(counts.model_calls, "model call")} and {sayCount(counts.tool_calls, "tool call")} were made.
          </p>
        </header>
        {problem !== undefined && <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />}
        {missing.length > 0 && (
          <p className="flex gap-2 rounded-lg bg-bad-ground px-3 py-2 text-bad">
            <Icon name="warning" className="mt-0.5" />
            <span className="min-w-0 break-words">
              {missing.length === 1 ? "A case of the baseline was" : `${missing.length} cases of the baseline were`} not
              evaluated: {missing.join(", ")}
            </span>
          </p>
        )}
        <section aria-label="Cases" className="flex flex-col gap-2">
          <h2 className="font-semibold">{sayCount(experiment.case_count, "case")}</h2>
          {cases.error !== null && <ErrorNote error={cases.error} retry={() => void cases.refetch()} />}
          {cases.data === undefined && cases.error === null && <Skeleton rows={4} />}
          {items.length > 0 && (
            <ul className="divide-y divide-line rounded-lg border border-line">
              {items.map((result) => (
                <CaseRow key={result.id} result={result} />
              ))}
            </ul>
          )}
          {cases.hasNextPage && (
            <Button
              className="self-center"
              disabled={cases.isFetchingNextPage}
              onClick={() => void cases.fetchNextPage()}
            >
              Show {sayCount(Math.min(PAGE, experiment.case_count - items.length), "more", "more")}
            </Button>
          )}
        </section>
      </div>
      {isDeleting && (
        <Dialog title="Delete the experiment?" close={() => setDeleting(false)}>
          <div className="flex flex-col gap-4">
            <p>Deletes what its cases came to. The cases stay where they are, and so do the runs they were made of.</p>
            <div className="flex justify-end gap-2">
              <Button onClick={() => setDeleting(false)}>Keep it</Button>
              <Button
                kind="danger"
                icon="trash"
                onClick={() => {
                  setDeleting(false);
                  remove().catch(setProblem);
                }}
              >
                Delete
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </main>
  );
}

/** The experiments that this one can be compared with, of the newest. The earlier one is always the left one. */
function CompareWith({ experiment }: { readonly experiment: Experiment }): ReactNode {
  const navigate = useNavigate();
  const others = useQuery({
    queryKey: ["experiments", "newest"],
    queryFn: async ({ signal }) =>
      (await answerOf(client.GET("/v1/experiments", { params: { query: { limit: 100 } }, signal }))).items,
  });
  const shown = (others.data ?? []).filter(({ id }) => id !== experiment.id);
  if (shown.length === 0) return null;
  const compare = (id: string): void => {
    const other = shown.find((each) => each.id === id);
    if (other === undefined) return;
    const isLater = other.started_at > experiment.started_at;
    const [before, after] = isLater ? [experiment.id, id] : [id, experiment.id];
    void navigate({ to: "/evals/$before/compare/$after", params: { before, after } });
  };
  return (
    <select
      aria-label="Compare with"
      value=""
      onChange={(event) => compare(event.target.value)}
      className="h-8 max-w-44 rounded-md border border-line bg-ground px-2 text-sm"
    >
      <option value="">Compare with…</option>
      {shown.map((other) => (
        <option key={other.id} value={other.id}>
          {nameOf(other)} · {formatTime(other.started_at)}
        </option>
      ))}
    </select>
  );
}
