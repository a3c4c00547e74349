import { isTerminal, type MailboxEntry, TOOL_CALL_TRANSITIONS } from "@reprise/contracts";
import { expectedEnds } from "../expected-ends.ts";
import type { History, RunHistory, ThreadHistory, Violation } from "../history.ts";
import { eventsOf } from "../index-history.ts";
import { runAbove } from "../lineage.ts";
import { requestsOf } from "../requests.ts";

/** I5: every accepted run ends once, for a reason somebody gave, or waits for an answer. */
export function findUnendedRuns(history: History): readonly Violation[] {
  const unfinished = history.unfinished.map((what): Violation => {
    return { invariant: "I5", message: `Still open when everything should have come to rest: ${what}` };
  });
  const lookedAt = history.witness.at(-1)?.at ?? 0;
  const runs = history.threads.flatMap((thread) =>
    thread.runs.flatMap((run) =>
      [...checkEnd(run, lookedAt), ...checkReason(history, run)].map((message): Violation => {
        return { invariant: "I5", thread_id: thread.thread.thread_id, run_id: run.run.run_id, message };
      }),
    ),
  );
  return [...unfinished, ...runs, ...history.threads.flatMap((thread) => checkEntries(history, thread))];
}

function checkEnd(history: RunHistory, lookedAt: number): readonly string[] {
  const { run, calls } = history;
  const events = eventsOf(history);
  const ends = events.filter((event) => event.type === "run_finish" && event.data.termination.type !== "suspended");
  const last = events.at(-1);
  if (run.status === "running") return ["It is running and nobody works on it."];
  if (last?.type !== "run_finish") return [`Its last event is ${last?.type}, not its end.`];
  if (run.status === "waiting") {
    const isOpen = calls.some(({ status }) => status === "suspended");
    const late = calls.filter(
      ({ status, expires_at }) => status === "suspended" && (expires_at ?? Infinity) < lookedAt,
    );
    return [
      ...late.map(({ call_id }) => `It waits, and the time of its question about ${call_id} is up.`),
      ...(isOpen ? [] : ["It waits and has no open call."]),
      ...(ends.length === 0 ? [] : ["It waits and has ended."]),
    ];
  }
  const open = calls.filter(({ status }) => !isTerminal(TOOL_CALL_TRANSITIONS, status));
  return [
    ...(ends.length === 1 && ends[0] === last ? [] : [`It ended ${ends.length} times.`]),
    ...open.map(({ call_id, status }) => `It is done and its call ${call_id} is ${status}.`),
  ];
}

function checkReason(history: History, { run }: RunHistory): readonly string[] {
  if (run.status !== "done") return [];
  const code = run.termination_code ?? "";
  const expected = expectedEnds(history, run);
  if (expected.includes(code)) return [];
  return [`It ended as ${code} (${run.termination_detail ?? ""}); to expect was ${expected.join(", ")}.`];
}

/** What an accepted request may come to besides a run. */
function checkEntries(history: History, { thread, entries, runs }: ThreadHistory): readonly Violation[] {
  const { thread_id } = thread;
  const asked = requestsOf(history.witness, "start").filter(({ ask }) => ask.request.thread_id === thread_id);
  const isInterrupted = asked.some(({ ask }) => ["interrupt", "rollback"].includes(ask.request.busy_policy ?? ""));
  const problemOf = ({ status, run_id, into_run, entry_id }: MailboxEntry): string | undefined => {
    const hasRun = runs.some(({ run }) => run.run_id === run_id);
    if (status === "accepted")
      return hasRun || into_run !== undefined ? undefined : `Entry ${entry_id} is accepted and became no run.`;
    if (hasRun) return `Entry ${entry_id} became a run and is ${status}.`;
    if (status === "superseded")
      return isInterrupted ? undefined : `Entry ${entry_id} is superseded and nobody interrupted.`;
    if (status === "cancelled") {
      const above = runAbove(history, run_id);
      const isTakenAlong = above !== undefined && expectedEnds(history, above).length > 1;
      const isAsked = isTakenAlong || requestsOf(history.witness, "cancel").some(({ ask }) => ask.run_id === run_id);
      return isAsked || isInterrupted ? undefined : `Entry ${entry_id} is cancelled and nobody asked for it.`;
    }
    return `Entry ${entry_id} is ${status} at the end.`;
  };
  return entries
    .filter(({ kind }) => kind === "run")
    .flatMap((entry) => {
      const message = problemOf(entry);
      return message === undefined ? [] : [{ invariant: "I5" as const, thread_id, run_id: entry.run_id, message }];
    });
}
