import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ServerError } from "../../api/connection.ts";
import { answerOf, client, loadRuns } from "../../api/requests.ts";
import type { Comparison } from "../../api/types.ts";
import { PatchDiff } from "../../components/patch-diff.tsx";
import { alignRuns, type ComparedStep, textWithoutIds } from "../../log/align-runs.ts";
import { baseAgent } from "../../log/base-agent.ts";
import { fieldsOf } from "../../log/block.ts";
import type { StateChange } from "../../log/diff-state.ts";
import { statusOfRun } from "../../log/fold-messages.ts";
import { classNames } from "../../parts/class-names.ts";
import { formatCost, formatCount, formatDuration, formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Empty, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";

/** Two runs side by side, step by step: what they said, which tools they called, what they left in the state, what they cost. */
export function CompareScreen(): ReactNode {
  const { a = "", b = "" } = useParams({ strict: false });
  const compared = useQuery({
    queryKey: ["compare", a, b],
    queryFn: ({ signal }) =>
      answerOf(client.GET("/v1/runs/{id}/compare", { params: { path: { id: a }, query: { with: b } }, signal })),
    // A run that is under way can be compared once it is over.
    refetchInterval: ({ state }) => (isUnfinished(state.error) ? 1_000 : false),
  });
  if (isUnfinished(compared.error))
    return (
      <main className="h-full">
        <Empty icon="clock" title="One of the runs is not over">
          The comparison appears when both are done. <OpenRun id={b} text="Open the run" />
        </Empty>
      </main>
    );
  if (compared.error !== null)
    return (
      <ScreenError
        icon="runs"
        missing="One of the runs does not exist"
        error={compared.error}
        retry={() => void compared.refetch()}
      />
    );
  return compared.data === undefined ? <Skeleton /> : <Sides a={a} b={b} compared={compared.data} />;
}

function isUnfinished(error: unknown): boolean {
  return error instanceof ServerError && error.code === "RUN_NOT_DONE";
}

function OpenRun({ id, text }: { readonly id: string; readonly text: string }): ReactNode {
  return (
    <Link to="/runs/$runId" params={{ runId: id }} className="text-accent underline">
      {text}
    </Link>
  );
}

function Sides({
  a,
  b,
  compared,
}: {
  readonly a: string;
  readonly b: string;
  readonly compared: Comparison;
}): ReactNode {
  const { original, rerun, state } = compared;
  const navigate = useNavigate();
  const show = (one: string, other: string): void =>
    void navigate({ to: "/compare/$a/$b", params: { a: one, b: other }, replace: true });
  const rows = alignRuns(original.messages, rerun.messages);
  const first = rows.findIndex(({ isSame }) => !isSame);
  const { rerun_of, changes } = fieldsOf(fieldsOf(rerun.run).metadata);
  const isRerun = rerun_of === a;
  const names = isRerun ? (["Original", "Re-run"] as const) : (["First", "Second"] as const);
  const changed = describeChanges(fieldsOf(changes));
  return (
    <main className="h-full overflow-y-auto">
      <header className="sticky top-0 z-10 border-b border-line bg-ground">
        <div className="flex items-center gap-3 px-4 py-2">
          <h1 className="font-semibold">Compare</h1>
          <p className="min-w-0 flex-1 text-sm text-faint">
            {first === -1 ? "Both did the same." : `They differ from step ${first + 1} on.`}
            {isRerun && ` The re-run left the original on a fork${changed === "" ? "" : `, with ${changed}`}.`}
          </p>
        </div>
        <div className="grid border-t border-line max-md:divide-y md:grid-cols-2 md:divide-x divide-line">
          <Head id={a} part={original} name={names[0]} choose={(id) => show(id, b)} />
          <Head id={b} part={rerun} name={names[1]} choose={(id) => show(a, id)} />
        </div>
      </header>
      <ol aria-label="Steps">
        {rows.map(({ left, right, isSame }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its number.
          <li key={index} className={classNames("border-b border-line", !isSame && "bg-side")}>
            <p className="flex items-center gap-2 px-4 pt-2 text-xs text-faint">
              Step {index + 1}
              {isSame ? (
                <Status word="done" className="text-xs">
                  same
                </Status>
              ) : (
                <span className="flex items-center gap-1 text-wait">
                  <Icon name="compare" size={12} />
                  different
                </span>
              )}
            </p>
            <div className="grid divide-line max-md:divide-y md:grid-cols-2 md:divide-x">
              <Side step={left} other={right} name={names[0]} />
              {/* On a phone the sides stand one below the other, and one is enough of what is the same. */}
              <Side step={right} other={left} name={names[1]} isRepeated={isSame} />
            </div>
          </li>
        ))}
      </ol>
      <section aria-label="State" className="flex flex-col gap-2 px-4 py-3">
        <h2 className="font-semibold">State</h2>
        {state.length === 0 ? (
          <p className="text-sm text-faint">Both left the same state.</p>
        ) : (
          <PatchDiff changes={state.map(readChange)} />
        )}
      </section>
    </main>
  );
}

/** The changes of a re-run in words. */
function describeChanges({ model, instructions, tools, tool_results }: Readonly<Record<string, unknown>>): string {
  const words = [
    model === undefined ? "" : `the model ${String(model)}`,
    instructions === undefined ? "" : "other instructions",
    tools === undefined ? "" : "other tools",
    tool_results === undefined ? "" : "other results of tools",
  ].filter(Boolean);
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** An operation that turns one state into the other, as a change. */
function readChange(operation: unknown): StateChange {
  const { op, path, value } = fieldsOf(operation);
  const parts = Array.isArray(path) ? path.map(String) : [String(path)];
  if (op === "delete" || op === "remove") return { path: parts, kind: "removed", by: "missing in the second" };
  return { path: parts, kind: "changed", after: value ?? null, by: "in the second" };
}

function Head({
  id,
  part,
  name,
  choose,
}: {
  readonly id: string;
  readonly part: Comparison["original"];
  readonly name: string;
  readonly choose: (id: string) => void;
}): ReactNode {
  const { agent_id, thread_id, created_at, updated_at } = fieldsOf(part.run);
  const runs = useQuery({
    queryKey: ["runs", "of", thread_id],
    queryFn: ({ signal }) => loadRuns(String(thread_id), signal),
    staleTime: 30_000,
  });
  const others = (runs.data ?? []).filter(({ status }) => status === "done");
  return (
    <div className="flex min-w-0 flex-col gap-0.5 px-4 py-2">
      <p className="flex items-center gap-2">
        <span className="font-medium">{name}</span>
        <span className="truncate text-sm text-faint">{baseAgent(String(agent_id))}</span>
        {others.length > 1 && (
          <select
            aria-label={`${name} run`}
            value={id}
            onChange={(event) => choose(event.target.value)}
            className="h-7 min-w-0 rounded-md border border-line bg-ground px-1.5 text-sm"
          >
            {others.map((run, index) => (
              <option key={run.run_id} value={run.run_id}>
                Run {index + 1} · {formatTime(run.created_at, true)} · {statusOfRun(run)}
              </option>
            ))}
          </select>
        )}
        <span className="ml-auto text-sm">
          <OpenRun id={id} text="open" />
        </span>
      </p>
      <p className="flex flex-wrap gap-x-3 text-sm text-faint tabular-nums">
        <span>{part.steps === 1 ? "1 step" : `${part.steps} steps`}</span>
        <span>{formatCount(part.input_tokens + part.output_tokens)} tokens</span>
        <span>{formatCost(part.cost_microcents)}</span>
        <span>{formatDuration(Number(updated_at) - Number(created_at))}</span>
      </p>
    </div>
  );
}

function Side({
  step,
  other,
  name,
  isRepeated = false,
}: {
  readonly step: ComparedStep | undefined;
  readonly other: ComparedStep | undefined;
  readonly name: string;
  readonly isRepeated?: boolean;
}): ReactNode {
  if (step === undefined) return <p className="px-4 py-2 text-sm text-faint">{name} has no such step.</p>;
  return (
    <div className={classNames("flex min-w-0 flex-col gap-2 px-4 py-2", isRepeated && "max-md:hidden")}>
      {!isRepeated && <p className="text-xs font-medium text-faint md:hidden">{name}</p>}
      {step.text !== "" && (
        <Markdown
          text={step.text}
          className={textWithoutIds(step.text) === textWithoutIds(other?.text) ? "" : "rounded-md bg-wait-ground p-2"}
        />
      )}
      {step.calls.map((call, index) => {
        const key = `${index} ${call.tool}`;
        const isSame = textWithoutIds(call) === textWithoutIds(other?.calls[index]);
        return (
          <div
            key={key}
            className={classNames("min-w-0 rounded-md border border-line p-2", !isSame && "bg-wait-ground")}
          >
            <p className="flex items-center gap-1.5 font-mono text-xs font-semibold">
              <Icon name="tool" size={12} />
              {call.tool}
            </p>
            <p className="font-mono text-xs break-words text-faint">{JSON.stringify(call.arguments)}</p>
            {call.result !== undefined && (
              <p className="font-mono text-xs break-words">→ {JSON.stringify(call.result).slice(0, 400)}</p>
            )}
          </div>
        );
      })}
    </div>
  );
}
