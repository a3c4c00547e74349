import type { DecisionRow, EntryRow, RunRow, ThreadRow } from "../../kernel/rows.ts";
import { decisionKey } from "../../tables/cells.ts";
import type { TableWrite } from "../../tables/table-write.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import { freshThread } from "./fresh-thread.ts";
import { changeOf, changeRow } from "./row-change.ts";
import type { StoredRow } from "./stored-write.ts";

/** The property of a row that is its main part. */
const MAIN = { thread: "thread", entry: "entry", run: "record", decision: "decision" } as const;

/** A row with its kind. */
export type KindOfRow =
  | { readonly write: "thread"; readonly row: ThreadRow }
  | { readonly write: "entry"; readonly row: EntryRow }
  | { readonly write: "run"; readonly row: RunRow }
  | { readonly write: "decision"; readonly row: DecisionRow };

/** A row as the difference to the one in the tables. A row with a number is new; undefined when nothing changed. */
export function storeRow(thread: ThreadTables, kind: KindOfRow, order: number | undefined): StoredRow | undefined {
  const key = keyOf(kind);
  const { main, rest } = partsOf(kind.write, kind.row);
  const found = order === undefined ? findRow(thread, kind.write, key) : undefined;
  const before = found && partsOf(kind.write, found);
  const changes = { main: changeOf(main, before?.main), rest: changeOf(rest, before?.rest) };
  if (order === undefined && changes.main === undefined && changes.rest === undefined) return undefined;
  return {
    write: kind.write,
    key,
    ...(order === undefined ? {} : { order }),
    ...(changes.main === undefined ? {} : { main: changes.main }),
    ...(changes.rest === undefined ? {} : { rest: changes.rest }),
  };
}

/** The row that a stored one stands for; undefined when it changes a row that a line brought which cannot be read. */
export function openRow(thread: ThreadTables, { write, key, order, main, rest }: StoredRow): TableWrite | undefined {
  const found = findRow(thread, write, key) ?? (write === "thread" ? freshThread(thread) : undefined);
  if (found === undefined && order === undefined) return undefined;
  const before = found && partsOf(write, found);
  const row = {
    ...changeRow(before?.rest, rest ?? {}),
    [MAIN[write]]: changeRow(before?.main, main ?? {}),
  };
  // The parts were taken from a row of this kind by `storeRow`.
  return { write, row: Object.freeze(row), order } as unknown as TableWrite;
}

function partsOf(kind: StoredRow["write"], row: object): { readonly main: object; readonly rest: object } {
  // Every kind of row has an object under the name of its main part.
  const { [MAIN[kind]]: main, ...rest } = row as Readonly<Record<string, object>>;
  return { main: main ?? {}, rest };
}

function keyOf({ write, row }: KindOfRow): StoredRow["key"] {
  switch (write) {
    case "thread":
      return [];
    case "entry":
      return [row.entry.entry_id];
    case "run":
      return [row.record.run_id];
    default:
      return [row.decision.run_id, row.decision.call_id, row.decision.suspension];
  }
}

function findRow(thread: ThreadTables, kind: StoredRow["write"], key: StoredRow["key"]): object | undefined {
  const [id = "", callId = "", suspension = 0] = key;
  switch (kind) {
    case "thread":
      return thread.row;
    case "entry":
      return thread.tenant.entries.get(String(id))?.row;
    case "run":
      return thread.runs.get(String(id))?.row;
    default:
      return thread.runs.get(String(id))?.decisions?.get(decisionKey(String(callId), Number(suspension)))?.row;
  }
}
