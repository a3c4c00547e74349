import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ServerError } from "../../api/connection.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { Experiment } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { formatCost, formatDuration, formatTime } from "../../parts/format.ts";
import { Empty, ErrorNote, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { nameOf, sayTotals } from "./describe-experiment.ts";

const PAGE = 50;

/** The experiments that were kept, newest first. Two of them can be compared. */
export function ExperimentsScreen(): ReactNode {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const experiments = useInfiniteQuery({
    queryKey: ["experiments"],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam !== "" && { after: pageParam }) };
      return answerOf(client.GET("/v1/experiments", { params: { query }, signal }));
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: 5_000,
  });
  const { data, error } = experiments;
  if (data === undefined && error instanceof ServerError && error.status === 404)
    return (
      <main className="h-full">
        <Empty icon="evals" title="This server has no evaluations" isPage>
          Give it <code className="font-mono">{"evals: evaluations()"}</code> of{" "}
          <code className="font-mono">reprise/evals</code>, or start it with{" "}
          <code className="font-mono">reprise serve</code>.
        </Empty>
      </main>
    );
  if (data === undefined && error !== null)
    return (
      <ScreenError
        icon="evals"
        missing="This server has no evaluations"
        error={error}
        retry={() => void experiments.refetch()}
      />
    );
  if (data === undefined) return <Skeleton />;
  // One that was kept meanwhile moves the others to the next page.
  const all = [...new Map(data.pages.flatMap(({ items }) => items).map((each) => [each.id, each])).values()];
  if (all.length === 0)
    return (
      <main className="h-full">
        <h1 className="sr-only">Evaluations</h1>
        <Empty icon="evals" title="No experiments yet">
          Open a run and save it as a case. Then <code className="font-mono">reprise eval --keep</code> plays it to the
          agents of today, and what comes of it appears here.
        </Empty>
      </main>
    );
  // The newest first: the later one is what is compared with the earlier one.
  const [after, before] = all.filter(({ id }) => chosen.has(id));
  const compare = (): void => {
    if (before !== undefined && after !== undefined)
      void navigate({ to: "/evals/$before/compare/$after", params: { before: before.id, after: after.id } });
  };
  return (
    <main tabIndex={0} aria-label="Evaluations" className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-5">
        <header className="flex min-h-8 flex-wrap items-center gap-3">
          <h1 className="flex-1 text-xl font-semibold">Evaluations</h1>
          {chosen.size > 0 && (
            <Button small icon="compare" disabled={before === undefined} onClick={compare}>
              {before === undefined ? "Choose one more to compare" : "Compare"}
            </Button>
          )}
        </header>
        {error !== null && <ErrorNote error={error} retry={() => void experiments.refetch()} />}
        <ul aria-label="Experiments" className="divide-y divide-line rounded-lg border border-line">
          {all.map((experiment) => (
            <Row
              key={experiment.id}
              experiment={experiment}
              isChosen={chosen.has(experiment.id)}
              choose={() => setChosen(toggled(chosen, experiment.id))}
            />
          ))}
        </ul>
        {experiments.hasNextPage && (
          <Button
            className="self-center"
            disabled={experiments.isFetchingNextPage}
            onClick={() => void experiments.fetchNextPage()}
          >
            Show older ones
          </Button>
        )}
      </div>
    </main>
  );
}

function Row({
  experiment,
  isChosen,
  choose,
}: {
  readonly experiment: Experiment;
  readonly isChosen: boolean;
  readonly choose: () => void;
}): ReactNode {
  const { id, mode, agent, verdict, totals, missing, started_at, duration_ms, cost_microcents } = experiment;
  return (
    <li className="flex items-start gap-3 px-3 py-2.5 hover:bg-hover">
      <input
        type="checkbox"
        aria-label={`Choose ${nameOf(experiment)}`}
        checked={isChosen}
        onChange={choose}
        className="mt-1 accent-accent"
      />
      <Link
        to="/evals/$experimentId"
        params={{ experimentId: id }}
        className="flex min-w-0 flex-1 flex-wrap items-start gap-x-4 gap-y-1"
      >
        <span className="flex min-w-0 flex-1 basis-56 flex-col">
          <span className="truncate font-medium">{nameOf(experiment)}</span>
          <span className="text-sm text-faint">
            {mode}
            {agent !== undefined && ` · ${agent}`} · {sayTotals(totals)}
            {missing.length > 0 && `, ${missing.length} missing`}
          </span>
        </span>
        <Status word={verdict} />
        <span className="flex gap-x-3 text-sm text-faint tabular-nums md:w-64 md:justify-end">
          <span>{formatCost(cost_microcents)}</span>
          <span>{formatDuration(duration_ms)}</span>
          <span>{formatTime(started_at)}</span>
        </span>
      </Link>
    </li>
  );
}

/** At most two can be compared: the first one leaves. */
function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (next.delete(id)) return next;
  return new Set([...next, id].slice(-2));
}
