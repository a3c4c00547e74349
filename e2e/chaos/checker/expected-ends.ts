import { MAX_RECOVERIES, type RunRecord } from "@reprise/contracts";
import type { History } from "./history.ts";
import { requestsOf } from "./requests.ts";

/** The ends of a run that somebody or something gave a reason for. */
export function expectedEnds(history: History, run: RunRecord): readonly string[] {
  const ends = ["natural"];
  const { thread_id, run_id } = run;
  const others = requestsOf(history.witness, "start").filter(
    ({ ask }) => ask.request.thread_id === thread_id && ask.request.run_id !== run_id,
  );
  const hasRival = (...policies: readonly string[]): boolean =>
    others.some(({ ask }) => policies.includes(ask.request.busy_policy ?? "continue"));
  const isCancelled = requestsOf(history.witness, "cancel").some(({ ask }) => ask.run_id === run_id);
  if (isCancelled || hasRival("interrupt", "rollback")) ends.push("cancelled");
  if (hasRival("continue", "interrupt", "rollback")) ends.push("stopped:superseded");
  if (countLosses(history, run) > MAX_RECOVERIES) ends.push("error:poison");
  return ends;
}

/** How often an owner of the run may have been lost while it was open: killed, or replaced while it lived. */
function countLosses({ witness, losses, skews }: History, { run_id, created_at, updated_at }: RunRecord): number {
  // The times of a run may be those of an owner whose clock was wrong.
  const margin = Math.max(0, ...skews.map(({ skew_ms }) => Math.abs(skew_ms)));
  const isDuring = (at: number): boolean => at >= created_at - margin && at <= updated_at + margin;
  const faults = witness.filter(({ type, at, ...record }) => type === "fault" && "worker" in record && isDuring(at));
  return faults.length + losses.filter((loss) => loss.run_id === run_id).length;
}
