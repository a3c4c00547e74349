import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { ServerError } from "../../api/connection.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { EvalResult } from "../../api/types.ts";
import { LineDiff } from "../../components/line-diff.tsx";
import { formatCost, formatCount, formatDuration } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { problemsOf, sayCount } from "./describe-experiment.ts";

/** A case with what did not pass, in words; opened, with the values, what was noted, and what each playing of it did. */
export function CaseRow({ result }: { readonly result: EvalResult }): ReactNode {
  const { id, agent_id, verdict, metrics, trials } = result;
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const problems = problemsOf(result);
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-start gap-2 px-3 py-2.5 text-left hover:bg-hover"
      >
        <Icon name="chevron" size={13} className={isOpen ? "mt-1 rotate-90" : "mt-1"} />
        <span className="flex min-w-0 flex-1 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <span className="flex min-w-0 flex-1 basis-48 items-baseline gap-2">
              <span className="truncate font-medium">{id}</span>
              <span className="truncate text-sm text-faint">{agent_id}</span>
            </span>
            <Status word={verdict} />
            <Metrics metrics={metrics} trials={trials.length} />
          </span>
          {problems.map(({ name, verdict: own, message, trials: count }) => (
            <span key={`${name} ${message}`} className="text-sm break-words">
              <span className={own === "failed" ? "font-medium text-bad" : "font-medium text-wait"}>{name}</span>:{" "}
              {message}
              {count > 1 && <span className="text-faint"> in {count} trials</span>}
            </span>
          ))}
        </span>
      </button>
      <div id={details}>{isOpen && <Details result={result} />}</div>
    </li>
  );
}

export function Metrics({
  metrics,
  trials,
}: {
  readonly metrics: EvalResult["metrics"];
  readonly trials: number;
}): ReactNode {
  return (
    <span className="flex flex-wrap gap-x-3 text-sm text-faint tabular-nums">
      {trials > 1 && <span>{Math.round(metrics.pass_rate * 100)} % passed</span>}
      <span>{sayCount(round(metrics.steps), "step")}</span>
      <span>{sayCount(round(metrics.tool_calls), "call")}</span>
      <span>{formatCount(Math.round(metrics.tokens))} tokens</span>
      <span>{formatCost(metrics.cost_microcents)}</span>
    </span>
  );
}

/** A mean over trials. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function Details({ result }: { readonly result: EvalResult }): ReactNode {
  const withValues = problemsOf(result).filter(({ values }) => values !== undefined);
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-4 md:pl-8">
      <RecordedRun runId={result.run_id} />
      {withValues.map(({ name, message, values }) => (
        <section key={`${name} ${message}`} aria-label={name} className="flex flex-col gap-1">
          <h3 className="text-sm font-semibold">{name}: expected and actual</h3>
          <LineDiff before={values?.expected} after={values?.actual} label={`Expected and actual ${name}`} />
        </section>
      ))}
      {result.trials.map((trial, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a trial is known by its number.
        <Trial key={index} trial={trial} title={result.trials.length === 1 ? "Played" : `Trial ${index + 1}`} />
      ))}
      {result.trials.length === 0 && <p className="text-sm text-faint">What its trials did was too long to be kept.</p>}
    </div>
  );
}

/** The way to the run that the case was made of, when this server has it. */
function RecordedRun({ runId }: { readonly runId: string }): ReactNode {
  const run = useQuery({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => answerOf(client.GET("/v1/runs/{id}", { params: { path: { id: runId } }, signal })),
  });
  const isElsewhere = run.error instanceof ServerError && run.error.status === 404;
  if (run.error !== null && !isElsewhere) return <ErrorNote error={run.error} retry={() => void run.refetch()} />;
  return (
    <p className="text-sm text-faint">
      {isElsewhere ? (
        <>
          Recorded as run <span className="font-mono break-all">{runId}</span>, which this server does not have.
        </>
      ) : (
        <Link to="/runs/$runId" params={{ runId }} className="text-accent underline">
          Open the recorded run
        </Link>
      )}
    </p>
  );
}

type TrialResult = EvalResult["trials"][number];

function Trial({ trial, title }: { readonly trial: TrialResult; readonly title: string }): ReactNode {
  const { verdict, checks, notes, run, error, judgements = [] } = trial;
  const passed = checks.filter((check) => check.verdict === "passed").map(({ name }) => name);
  return (
    <section aria-label={title} className="flex flex-col gap-1.5 text-sm">
      <h3 className="flex flex-wrap items-center gap-x-3 font-semibold">
        {title}
        <Status word={verdict} />
        {run !== undefined && (
          <span className="font-normal text-faint tabular-nums">
            ended {run.ended} · {formatDuration(run.latency_ms)}
            {run.models.length > 0 && ` · ${run.models.join(", ")}`}
          </span>
        )}
      </h3>
      {error !== undefined && (
        <p className="text-bad">
          It could not be played: {error.message} ({error.code})
        </p>
      )}
      {passed.length > 0 && (
        <p className="flex items-start gap-1.5 text-faint">
          <Icon name="check" size={13} className="mt-0.5 text-good" />
          <span className="min-w-0 break-words">Passed: {passed.join(", ")}</span>
        </p>
      )}
      {notes.map(({ kind, message }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notes may be the same, and never change.
        <p key={index} className="flex items-start gap-1.5 text-wait">
          <Icon name="warning" size={13} className="mt-0.5" />
          <span className="min-w-0 break-words">
            {message} <span className="sr-only">({kind.replaceAll("_", " ")})</span>
          </span>
        </p>
      ))}
      {judgements.map(({ judge, score, threshold, reason, model, source }) => (
        <p key={judge} className="min-w-0 break-words">
          <span className={score < threshold ? "font-medium text-bad" : "font-medium text-good"}>
            {judge}: {score} of at least {threshold}
          </span>{" "}
          {reason}{" "}
          <span className="text-faint">
            ({model}, {source})
          </span>
        </p>
      ))}
      {run !== undefined && run.calls.length > 0 && (
        <ol aria-label="Tool calls" className="flex flex-col gap-0.5 font-mono text-xs">
          {run.calls.map(({ id, tool, arguments: given, outcome, error: code }) => (
            <li key={id} className="flex gap-2 break-all">
              <Icon name="tool" size={12} className="mt-0.5 text-faint" />
              <span className="min-w-0">
                <span className="font-semibold">{tool}</span> {JSON.stringify(given)}{" "}
                <span className={outcome === "failed" ? "text-bad" : "text-faint"}>
                  {outcome}
                  {code !== undefined && ` (${code})`}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {run !== undefined && run.text !== "" && (
        <p className="rounded-md bg-side px-2.5 py-2 break-words whitespace-pre-wrap">{run.text}</p>
      )}
    </section>
  );
}
