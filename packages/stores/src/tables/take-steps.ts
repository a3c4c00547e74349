import {
  stepOfCommit,
  stepOfForgetting,
  stepOfPrune,
  stepOfReference,
  stepOfSnapshot,
  stepOfSupersede,
} from "./commit-steps.ts";
import { stepOfDecision, stepOfEntry, stepOfRun, stepOfSuspended, stepOfThread } from "./row-steps.ts";
import { type Step, undo } from "./step.ts";
import type { TableWrite } from "./table-write.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** Does what a write says, for an owner that never takes anything back. */
export function takeStep(thread: ThreadTables, write: TableWrite): void {
  stepOf(thread, write).forward();
}

/** Does what writes say, and returns the steps that were taken. */
export function takeSteps(thread: ThreadTables, writes: Iterable<TableWrite>): readonly Step[] {
  const taken: Step[] = [];
  try {
    for (const write of writes) {
      const step = stepOf(thread, write);
      step.forward();
      taken.push(step);
    }
    return taken;
  } catch (error) {
    undo(taken);
    throw error;
  }
}

function stepOf(thread: ThreadTables, write: TableWrite): Step {
  switch (write.write) {
    case "thread":
      return stepOfThread(thread, write);
    case "entry":
      return stepOfEntry(thread, write);
    case "run":
      return stepOfRun(thread, write);
    case "decision":
      return stepOfDecision(thread, write);
    case "suspended":
      return stepOfSuspended(thread, write);
    case "commit":
      return stepOfCommit(thread, write);
    case "snapshot":
      return stepOfSnapshot(thread, write.cell);
    case "refer":
      return stepOfReference(thread, write.refs);
    case "supersede":
      return stepOfSupersede(thread, write.range);
    case "prune":
      return stepOfPrune(thread, write.up_to);
    case "forget_entries":
      return stepOfForgetting(thread, write.entry_ids);
    default:
      return write satisfies never;
  }
}
