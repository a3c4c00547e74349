import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ServerError } from "../../api/connection.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { Comparison } from "../../api/types.ts";
import { PatchDiff } from "../../components/patch-diff.tsx";
import { alignRuns, type ComparedStep } from "../../log/align-runs.ts";
import { baseAgent } from "../../log/base-agent.ts";
import { fieldsOf } from "../../log/block.ts";
import type { StateChange } from "../../log/diff-state.ts";
import { classNames } from "../../parts/class-names.ts";
import { formatCost, formatCount, formatDuration } from "../../parts/format.ts";
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
  const rows = alignRuns(original.messages, rerun.messages);
  const first = rows.findIndex(({ isSame }) => !isSame);
  const { rerun_of, changes } = fieldsOf(fieldsOf(rerun.run).metadata);
  const isRerun = rerun_of === a;
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
        <div className="grid grid-cols-2 divide-x divide-line border-t border-line">
          <Head id={a} part={original} name={isRerun ? "Original" : "First"} />
          <Head id={b} part={rerun} name={isRerun ? "Re-run" : "Second"} />
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
            <div className="grid grid-cols-2 divide-x divide-line">
              <Side step={left} other={right} />
              <Side step={right} other={left} />
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
}: {
  readonly id: string;
  readonly part: Comparison["original"];
  readonly name: string;
}): ReactNode {
  const { agent_id, created_at, updated_at } = fieldsOf(part.run);
  return (
    <div className="flex min-w-0 flex-col gap-0.5 px-4 py-2">
      <p className="flex items-center gap-2">
        <span className="font-medium">{name}</span>
        <span className="truncate text-sm text-faint">{baseAgent(String(agent_id))}</span>
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
}: {
  readonly step: ComparedStep | undefined;
  readonly other: ComparedStep | undefined;
}): ReactNode {
  if (step === undefined) return <p className="px-4 py-2 text-sm text-faint">No such step.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-2 px-4 py-2">
      {step.text !== "" && (
        <Markdown text={step.text} className={step.text === other?.text ? "" : "rounded-md bg-wait-ground p-2"} />
      )}
      {step.calls.map((call, index) => {
        const key = `${index} ${call.tool}`;
        const isSame = JSON.stringify(call) === JSON.stringify(other?.calls[index]);
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
