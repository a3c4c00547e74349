import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { answerOf, client } from "../../api/requests.ts";
import type { ComparedCases, EvalOutcome, Experiment } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { formatCost, formatTime } from "../../parts/format.ts";
import { ErrorNote, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { Metrics } from "./case-row.tsx";
import { nameOf, sayTotals } from "./describe-experiment.ts";

const PAGE = 50;

/** Two experiments side by side, case by case, what became worse first. */
export function ComparedScreen(): ReactNode {
  const { before = "", after = "" } = useParams({ strict: false });
  const compared = useInfiniteQuery({
    queryKey: ["experiment", before, "compare", after],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { id: before }, query: { with: after, limit: PAGE, offset: pageParam } };
      return answerOf(client.GET("/v1/experiments/{id}/compare", { params, signal }));
    },
    getNextPageParam: (last, pages) =>
      last.has_more ? pages.reduce((sum, { items }) => sum + items.length, 0) : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [first] = compared.data?.pages ?? [];
  if (first === undefined)
    return compared.error === null ? (
      <Skeleton />
    ) : (
      <ScreenError
        icon="evals"
        missing="One of the experiments does not exist"
        error={compared.error}
        retry={() => void compared.refetch()}
        action={
          <Link to="/evals" className="text-accent underline">
            Show all experiments
          </Link>
        }
      />
    );
  return (
    <main tabIndex={0} aria-label="Comparison" className="h-full overflow-y-auto">
      <header className="sticky top-0 z-10 border-b border-line bg-ground">
        <div className="flex flex-wrap items-center gap-x-3 px-4 py-2">
          <h1 className="font-semibold">Compare experiments</h1>
          <p className="min-w-0 flex-1 basis-40 text-sm text-faint">{sayChanges(first.totals)}</p>
        </div>
        <div className="grid grid-cols-2 divide-x divide-line border-t border-line">
          <Head experiment={first.before} title="Before" />
          <Head experiment={first.after} title="After" />
        </div>
      </header>
      <ul aria-label="Cases">
        {compared.data?.pages
          .flatMap(({ items }) => items)
          .map(({ id, change, before: left, after: right }) => (
            <li key={id} className={classNames("border-b border-line", change !== "same" && "bg-side")}>
              <p className="flex items-center gap-3 px-4 pt-2">
                <span className="min-w-0 truncate font-medium">{id}</span>
                <Status word={change} />
              </p>
              <div className="grid grid-cols-2 divide-x divide-line">
                <Side outcome={left} other={right} trials={first.before.trials} />
                <Side outcome={right} other={left} trials={first.after.trials} />
              </div>
            </li>
          ))}
      </ul>
      <div className="flex flex-col items-center gap-2 p-4">
        {compared.error !== null && <ErrorNote error={compared.error} retry={() => void compared.refetch()} />}
        {compared.hasNextPage && (
          <Button disabled={compared.isFetchingNextPage} onClick={() => void compared.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </main>
  );
}

const SAID: Readonly<Record<keyof ComparedCases["totals"], string>> = {
  worse: "became worse",
  removed: "removed",
  better: "became better",
  added: "added",
  same: "the same",
};

/** `1 became worse, 4 the same.` */
function sayChanges(totals: ComparedCases["totals"]): string {
  const { worse, removed, better, added, same } = totals;
  const parts = [
    [worse, SAID.worse],
    [removed, SAID.removed],
    [better, SAID.better],
    [added, SAID.added],
    [same, SAID.same],
  ] as const;
  const said = parts.filter(([count = 0]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return said.length === 0 ? "Neither has a case." : `${said.join(", ")}.`;
}

function Head({ experiment, title }: { readonly experiment: Experiment; readonly title: string }): ReactNode {
  return (
    <div className="flex min-w-0 flex-col gap-0.5 px-4 py-2">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="text-sm text-faint">{title}</span>
        <Link
          to="/evals/$experimentId"
          params={{ experimentId: experiment.id }}
          className="min-w-0 truncate font-medium text-accent underline"
        >
          {nameOf(experiment)}
        </Link>
        <Status word={experiment.verdict} />
      </p>
      <p className="flex flex-wrap gap-x-3 text-sm text-faint tabular-nums">
        <span>{experiment.mode}</span>
        <span>{sayTotals(experiment.totals)}</span>
        <span>{formatCost(experiment.cost_microcents)}</span>
        <span>{formatTime(experiment.started_at)}</span>
      </p>
    </div>
  );
}

function Side({
  outcome,
  other,
  trials,
}: {
  readonly outcome: EvalOutcome | undefined;
  readonly other: EvalOutcome | undefined;
  readonly trials: number;
}): ReactNode {
  if (outcome === undefined) return <p className="px-4 py-2 text-sm text-faint">No such case.</p>;
  const known = new Set(other?.problems.map(({ name, message }) => `${name} ${message}`));
  return (
    <div className="flex min-w-0 flex-col gap-1 px-4 py-2 text-sm">
      <p className="flex flex-wrap items-center gap-x-3">
        <Status word={outcome.verdict} />
        <Metrics metrics={outcome.metrics} trials={trials} />
      </p>
      {outcome.problems.map(({ name, verdict, message }) => (
        <p
          key={`${name} ${message}`}
          className={classNames("break-words", !known.has(`${name} ${message}`) && "rounded-md bg-wait-ground p-1.5")}
        >
          <span className={verdict === "failed" ? "font-medium text-bad" : "font-medium text-wait"}>{name}</span>:{" "}
          {message}
        </p>
      ))}
    </div>
  );
}
