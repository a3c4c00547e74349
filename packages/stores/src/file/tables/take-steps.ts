import { stepOfForgetting, stepOfPrune, stepOfSnapshot, stepOfSupersede, stepOfVersion } from "./content-steps.ts";
import { stepOfRow } from "./row-steps.ts";
import { type Step, undo } from "./step.ts";
import type { StoredWrite } from "./stored-write.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** A line of a log. */
interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

/**
 * Does what a line of a log says, and returns the steps that were taken. This is the only way anything gets into the tables,
 * when it happens and when it is read back.
 */
export function takeSteps(thread: ThreadTables, writes: readonly StoredWrite[], line: LinePlace): readonly Step[] {
  const taken: Step[] = [];
  try {
    for (const write of writes) {
      const step = stepOf(thread, write, line);
      step.forward();
      taken.push(step);
    }
    return taken;
  } catch (error) {
    undo(taken);
    throw error;
  }
}

function stepOf(thread: ThreadTables, write: StoredWrite, { offset, length }: LinePlace): Step {
  switch (write.write) {
    case "changeset":
      return stepOfVersion(thread, write, { offset, length, item: write.item });
    case "supersede":
      return stepOfSupersede(thread, write.message_ids, write.version);
    case "snapshot":
      return stepOfSnapshot(thread, write.version, { offset, length, item: write.item });
    case "prune":
      return stepOfPrune(thread, write.up_to);
    case "forget_entries":
      return stepOfForgetting(thread, write.entry_ids);
    default:
      return stepOfRow(thread, write);
  }
}
