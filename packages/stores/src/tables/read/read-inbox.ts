import type { InboxRows } from "../../shell/row-reader.ts";
import type { EntryCell } from "../cells.ts";
import type { ThereThread } from "./find-thread.ts";

/** What came for a run while its owner was busy. */
export function readInbox(thread: ThereThread | undefined, runId: string): InboxRows {
  if (thread === undefined) return { decisions: [], cancel: undefined, steering: [] };
  const { mailbox, runs } = thread;
  const decisions = [...(runs.get(runId)?.decisions?.values() ?? [])].filter(({ row }) => row.is_pending);
  decisions.sort((decision, other) => decision.order - other.order);
  const isCancel = ({ row: { entry } }: EntryCell): boolean => entry.kind === "cancel" && entry.run_id === runId;
  const cancels = [...mailbox.held.values()].filter(isCancel);
  cancels.sort((cancel, other) => cancel.row.arrival - other.row.arrival);
  const steering = [...mailbox.queue.all].filter(({ row }) => row.entry.busy_policy === "steer");
  return {
    decisions: decisions.map(({ row }) => row.decision),
    cancel: cancels[0]?.row,
    steering: steering.map(({ row }) => row),
  };
}
