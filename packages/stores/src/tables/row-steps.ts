import { decisionKey, type RunCell } from "./cells.ts";
import type { Step } from "./step.ts";
import type { TableWrite } from "./table-write.ts";
import type { ThreadTables } from "./thread-tables.ts";

type WriteOf<Name extends TableWrite["write"]> = Extract<TableWrite, { readonly write: Name }>;

// A change of a row that is not there does nothing: the line of the log that brought the row cannot be read.
const NOTHING: Step = { forward() {}, backward() {} };

export function stepOfThread(thread: ThreadTables, { row, order }: WriteOf<"thread">): Step {
  const { row: before, order: orderBefore } = thread;
  const { tables } = thread.tenant;
  return {
    forward: () => tables.putThread(thread, row, order ?? orderBefore),
    backward: () => tables.putThread(thread, before, orderBefore),
  };
}

export function stepOfEntry(thread: ThreadTables, { row, order: given }: WriteOf<"entry">): Step {
  const { tenant } = thread;
  const before = tenant.entries.get(row.entry.entry_id);
  const order = given ?? before?.order;
  if (order === undefined) return NOTHING;
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

export function stepOfRun(thread: ThreadTables, { row, order }: WriteOf<"run">): Step {
  const { tenant } = thread;
  const known = thread.runs.get(row.record.run_id);
  if (known !== undefined) {
    const { row: before } = known;
    return {
      forward: () => {
        known.row = row;
      },
      backward: () => {
        known.row = before;
      },
    };
  }
  if (order === undefined) return NOTHING;
  const made: RunCell = { thread, order, row };
  return { forward: () => tenant.addRun(made), backward: () => tenant.removeRun(made) };
}

export function stepOfDecision(thread: ThreadTables, { row, order: given }: WriteOf<"decision">): Step {
  const { run_id, call_id, suspension } = row.decision;
  const run = thread.runs.get(run_id);
  const key = decisionKey(call_id, suspension);
  const order = given ?? run?.decisions?.get(key)?.order;
  if (run === undefined || order === undefined) return NOTHING;
  run.decisions ??= new Map();
  return stepInMap(run.decisions, key, { row, order });
}

export function stepOfSuspended(thread: ThreadTables, { call, pending_id, order }: WriteOf<"suspended">): Step {
  const { tenant } = thread;
  const run = thread.runs.get(call.run_id);
  const key = JSON.stringify([call.run_id, call.call_id]);
  const before = tenant.suspended.get(key);
  const after =
    run === undefined || order === undefined || pending_id === null
      ? undefined
      : { run, call_id: call.call_id, pending_id, order: before?.order ?? order };
  return { forward: () => tenant.putSuspended(key, after), backward: () => tenant.putSuspended(key, before) };
}

/** Puts a value under a key, or takes out what is there. */
export function stepInMap<Value>(map: Map<string, Value>, key: string, after: Value | undefined): Step {
  const before = map.get(key);
  const put = (value: Value | undefined): void => {
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  };
  return { forward: () => put(after), backward: () => put(before) };
}
