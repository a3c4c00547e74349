import { MAX_RECOVERIES, type RunRecord } from "@reprise/contracts";
import { isOfFlow } from "../workload/flow-document.ts";
import { tellFlow } from "./flow-story.ts";
import type { History } from "./history.ts";
import { indexHistory } from "./index-history.ts";
import { runAbove } from "./lineage.ts";
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
  const above = runAbove(history, run_id);
  // A run that somebody may have ended took the runs below it along.
  const isTakenAlong = above !== undefined && expectedEnds(history, above).length > 1;
  if (isCancelled || isTakenAlong || hasRival("interrupt", "rollback")) ends.push("cancelled");
  if (hasRival("continue", "interrupt", "rollback")) ends.push("stopped:superseded");
  if (isOfFlow(thread_id) && hasDeniedNode(history, run)) ends.push("error");
  if (countLosses(history, run) > MAX_RECOVERIES) ends.push("error:poison");
  return ends;
}

/** Whether somebody said that a node which a crash interrupted counts as failed. */
function hasDeniedNode(history: History, { run_id }: RunRecord): boolean {
  const placed = indexHistory(history).runs.get(run_id);
  if (placed === undefined) return false;
  const { unknown } = tellFlow(placed);
  return [...unknown.values()].flat().some(({ action }) => action === "cancel");
}

/** The times of a run are the store's; those of faults are the rig's. */
const MARGIN_MS = 1_000;

/** How often an owner of the run may have been lost while it was open: killed, or replaced while it lived. */
function countLosses({ witness, losses }: History, { run_id, created_at, updated_at }: RunRecord): number {
  const isDuring = (at: number): boolean => at >= created_at - MARGIN_MS && at <= updated_at + MARGIN_MS;
  const faults = witness.filter(({ type, at, ...record }) => type === "fault" && "worker" in record && isDuring(at));
  return faults.length + losses.filter((loss) => loss.run_id === run_id).length;
}
