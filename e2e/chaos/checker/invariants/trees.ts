import { type RunRecord, textOf } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { ModelArrival } from "../../workload/model-server.ts";
import { scriptNamed } from "../../workload/run-script.ts";
import { expectedEnds } from "../expected-ends.ts";
import type { History, RunHistory, Violation } from "../history.ts";
import { eventsOf, indexHistory } from "../index-history.ts";
import { isBackground, lineageOf, type RunBelow } from "../lineage.ts";
import { isAcknowledged, requestsOf } from "../requests.ts";
import { isSameJson } from "../same-json.ts";

/**
 * I11: a call that waits for a run has one answer, which is how that run ended; a run in the background tells so once; and no model is asked
 * below a run whose cancellation was acknowledged.
 */
export function findBrokenTrees(history: History): readonly Violation[] {
  const runs = [...lineageOf(history).below.values()];
  return [
    ...runs.flatMap((run) =>
      (isBackground(run) ? checkNotice(history, run) : checkAnswer(history, run)).map((message): Violation => {
        return { invariant: "I11", thread_id: run.thread_id, run_id: run.run_id, message };
      }),
    ),
    ...history.threads.flatMap(({ runs }) => runs.flatMap((run) => checkCalls(history, run))),
    ...findLateRequests(history),
  ];
}

/** The end of a run as the call above is told it; undefined when the run is not over. */
interface RunEnd {
  readonly status: string;
  readonly output?: Json | undefined;
}

function endOf(history: History, { run_id, entry }: RunBelow): RunEnd | undefined {
  const placed = indexHistory(history).runs.get(run_id);
  if (placed === undefined) return entry.status === "cancelled" ? { status: "stopped" } : undefined;
  const last = eventsOf(placed).at(-1);
  if (placed.run.status !== "done" || last?.type !== "run_finish") return undefined;
  return { status: statusOf(placed.run), output: last.data.result?.response };
}

function statusOf({ termination_code = "" }: RunRecord): string {
  if (termination_code === "cancelled") return "stopped";
  return termination_code.startsWith("error") ? "failed" : "completed";
}

/** What the call was told is how the run ended. */
function checkAnswer(history: History, run: RunBelow): readonly string[] {
  const { parent_run_id = "", parent_call_id } = run.request;
  const above = indexHistory(history).runs.get(parent_run_id);
  const told = above?.decisions.filter(({ call_id }) => call_id === parent_call_id) ?? [];
  if (told.length > 1) return [`Its call ${parent_call_id} was answered ${told.length} times.`];
  const result = told[0]?.result;
  if (result === undefined) return [];
  const end = endOf(history, run);
  if (end === undefined) return [`Its call ${parent_call_id} was answered, and it is not over.`];
  const child = indexHistory(history).runs.get(run.run_id)?.run;
  // A run that had answered when its tree was cancelled may have lost its process before it could end as it answered.
  const mayBeCancelled = child !== undefined && expectedEnds(history, child).includes("cancelled");
  if (end.status === "stopped" && mayBeCancelled) return [];
  const { status, output } = result as { readonly status?: string; readonly output?: string };
  if (isSameJson({ status, output }, { output: undefined, ...end })) return [];
  return [`Its call was told ${JSON.stringify({ status, output })}; it ended as ${JSON.stringify(end)}.`];
}

/** A call that waited for a run and succeeded has the answer of that run as its result. */
function checkCalls(history: History, { run, calls, decisions, segments }: RunHistory): readonly Violation[] {
  const ends = new Map<string, Json>();
  for (const event of eventsOf({ segments }))
    if (event.type === "tool_call_done" && event.data.outcome !== "suspended")
      ends.set(event.data.id, event.data.result.data);
  const { below } = lineageOf(history);
  return calls
    .filter(({ tool_id, status }) => tool_id === "delegate" && status === "succeeded")
    .flatMap(({ call_id }): readonly Violation[] => {
      const answer = decisions.find((decision) => decision.call_id === call_id);
      const isOfRun = answer !== undefined && below.has(answer.decision_id.replace(/^end-of-/, ""));
      if (isOfRun && isSameJson(answer.result, ends.get(call_id))) return [];
      const message = isOfRun
        ? `Call ${call_id} has another result than the run it waited for gave.`
        : `Call ${call_id} did not wait for the run it started.`;
      return [{ invariant: "I11", thread_id: run.thread_id, run_id: run.run_id, message }];
    });
}

/** A run in the background tells the thread above once that it is over, unless the run above was cancelled. */
function checkNotice(history: History, run: RunBelow): readonly string[] {
  const placed = indexHistory(history).runs.get(run.run_id);
  const above = indexHistory(history).runs.get(run.request.parent_run_id ?? "");
  if (placed === undefined || above === undefined) return [];
  const source = `run:${run.run_id}`;
  const told = above.thread.messages.filter(({ metadata }) => metadata?.source === source);
  const requests = above.thread.entries.filter(({ kind, request }) => kind === "run" && request?.sender_id === source);
  if (requests.length > 1 || told.length > 1)
    return [`It gave notice ${Math.max(requests.length, told.length)} times.`];
  const mayBeSilent = expectedEnds(history, above.run).length > 1 || placed.run.status !== "done";
  return requests.length === 1 || mayBeSilent ? [] : ["It is over, and the thread above was never told."];
}

/** A request that had passed the last look at its tree is on its way for a moment. */
const ON_ITS_WAY_MS = 2_000;

/** Requests for runs below a run after somebody was told that it is cancelled. */
function findLateRequests(history: History): readonly Violation[] {
  const { witness, arrivals } = history;
  const byScript = Map.groupBy(lineageOf(history).below.values(), ({ request }) => scriptIn(request));
  return requestsOf(witness, "cancel")
    .filter(isAcknowledged)
    .flatMap(({ ask: { run_id }, answeredAt = 0 }) => {
      // A later run of the thread may take up the script of one that was cancelled, with runs of its own below.
      const isBelow = ({ script }: ModelArrival): boolean => {
        const runs = byScript.get(script) ?? [];
        return runs.length > 0 && runs.every((run) => isBelowRun(history, run, run_id));
      };
      const late = arrivals.filter((arrival) => arrival.at > answeredAt + ON_ITS_WAY_MS && isBelow(arrival));
      return late.map((arrival): Violation => {
        const message = `A model was asked for ${arrival.script} ${arrival.at - answeredAt} ms after the cancellation was acknowledged.`;
        return { invariant: "I11", run_id, message };
      });
    });
}

/** The script that a request asks for. */
function scriptIn({ messages: [said] }: RunBelow["request"]): string | undefined {
  return said === undefined ? undefined : scriptNamed(textOf(said));
}

function isBelowRun(history: History, { request }: RunBelow, runId: string): boolean {
  const { parent_run_id = "" } = request;
  const above = lineageOf(history).below.get(parent_run_id);
  return parent_run_id === runId || (above !== undefined && isBelowRun(history, above, runId));
}
