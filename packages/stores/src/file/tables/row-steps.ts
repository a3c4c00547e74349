import type { Decision, RunRecord, Thread } from "@reprise/contracts";
import type { CallRow, DecisionRow, EntryRow, ThreadRow } from "../../kernel/rows.ts";
import { type Cell, decisionKey, type RunCell } from "./cells.ts";
import { freshThread } from "./fresh-thread.ts";
import { changeRow } from "./row-change.ts";
import type { Step } from "./step.ts";
import type { StoredRow } from "./stored-write.ts";
import type { ThreadTables } from "./thread-tables.ts";

/**
 * The step that a stored row stands for. A change of a row that is not there does nothing: that happens only where the line
 * that brought the row cannot be read.
 */
export function stepOfRow(thread: ThreadTables, write: StoredRow): Step {
  const { order } = write;
  if (order !== undefined) thread.tenant.tables.sawOrder(order);
  switch (write.write) {
    case "thread":
      return stepOfThread(thread, write);
    case "entry":
      return stepOfEntry(thread, write);
    case "run":
      return stepOfRun(thread, write);
    case "call": {
      const [runId, callId] = write.key.map(String);
      return stepInMap(findRun(thread, runId)?.calls, callId ?? "", write, (before) => partsOf<CallRow>(write, before));
    }
    case "decision": {
      const [runId, callId, suspension] = write.key.map(String);
      const key = decisionKey(callId ?? "", Number(suspension));
      return stepInMap(findRun(thread, runId)?.decisions, key, write, (before) => decisionOf(write, before));
    }
    default:
      return write.write satisfies never;
  }
}

const NOTHING: Step = { forward() {}, backward() {} };

function stepOfThread(thread: ThreadTables, write: StoredRow): Step {
  const { row: before, order: placeBefore } = thread;
  const { tables } = thread.tenant;
  const base = before ?? freshThread(thread);
  const parts = { thread: partsOf<Thread>(write, base.thread) };
  const after = Object.freeze({ ...restOf(write, base), ...parts }) as ThreadRow;
  return {
    forward: () => tables.putThread(thread, after, write.order ?? placeBefore),
    backward: () => tables.putThread(thread, before, placeBefore),
  };
}

function stepOfEntry(thread: ThreadTables, write: StoredRow): Step {
  const { tenant } = thread;
  const before = tenant.entries.get(String(write.key[0]));
  const order = write.order ?? before?.order;
  if (order === undefined) return NOTHING;
  const entry = partsOf<EntryRow["entry"]>(write, before?.row.entry);
  const row = Object.freeze({ ...restOf(write, before?.row), entry }) as EntryRow;
  const after = { row, order };
  return {
    forward() {
      if (before !== undefined) tenant.removeEntry(thread, before);
      tenant.addEntry(thread, after);
    },
    backward() {
      tenant.removeEntry(thread, after);
      if (before !== undefined) tenant.addEntry(thread, before);
    },
  };
}

function stepOfRun(thread: ThreadTables, write: StoredRow): Step {
  const { tenant } = thread;
  const known = findRun(thread, String(write.key[0]));
  const record = partsOf<RunRecord>(write, known?.record);
  if (known !== undefined) {
    const { record: before } = known;
    return {
      forward: () => {
        known.record = record;
      },
      backward: () => {
        known.record = before;
      },
    };
  }
  if (write.order === undefined) return NOTHING;
  const made: RunCell = { order: write.order, record, calls: new Map(), decisions: new Map(), segments: [] };
  return { forward: () => tenant.addRun(thread, made), backward: () => tenant.removeRun(thread, made) };
}

function stepInMap<Row>(
  cells: Map<string, Cell<Row>> | undefined,
  key: string,
  { order }: StoredRow,
  rowOf: (before: Row | undefined) => Row,
): Step {
  const before = cells?.get(key);
  const place = order ?? before?.order;
  if (cells === undefined || place === undefined) return NOTHING;
  const after = { row: rowOf(before?.row), order: place };
  return {
    forward: () => {
      cells.set(key, after);
    },
    backward: () => {
      if (before === undefined) cells.delete(key);
      else cells.set(key, before);
    },
  };
}

function findRun(thread: ThreadTables, runId: string | undefined): RunCell | undefined {
  return thread.runs.get(runId ?? "");
}

function decisionOf(write: StoredRow, before: DecisionRow | undefined): DecisionRow {
  const decision = partsOf<Decision>(write, before?.decision);
  return Object.freeze({ ...restOf(write, before), decision }) as DecisionRow;
}

/** The main part of a row. What was stored was taken from one of this type, by `storeWrites`. */
function partsOf<Part extends object>({ main }: StoredRow, before: Part | undefined): Part {
  if (main === undefined && before !== undefined) return before;
  return changeRow(before, main ?? {}) as Part;
}

/** The rest of a row, as it is after the write; the main part of before may be in it and is replaced by the caller. */
function restOf({ rest }: StoredRow, before: object | undefined): object {
  return rest === undefined ? (before ?? {}) : changeRow(before, rest);
}
