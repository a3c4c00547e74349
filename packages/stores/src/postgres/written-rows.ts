import { type Prepared, prepared, type Query, type SqlValue } from "./statement.ts";
import { type Columns, encodeRow, encodeRows, givenRow, givenRows, NOW, type Row } from "./table.ts";
import {
  BLOB_REF,
  COMMIT,
  DECISION,
  ENTRY,
  METADATA,
  RUN,
  SUPERSEDED,
  SUSPENDED,
  THREAD,
  THREAD_ID,
} from "./tables.ts";

/**
 * How much of a thread's row a write may touch: what a commit moves, what the revision guards besides, the claim besides, or all
 * of it, which is for the process that has locked the row and read it.
 */
export const TOUCHED = { commit: 0, inbox: 1, claim: 2, whole: 3 } as const;

/** Which write of a batch a row is of, and whether the row is new. */
export const NUMBERED: Columns = { n: "int4" };
const MARKED: Columns = { n: "int4", is_new: "int2" };

/** What must be true of a thread; null where nothing must. */
export const CONDITION: Columns = {
  touched: "int2",
  known_version: "int8",
  known_digest: "text",
  known_epoch: "int8",
  known_revision: "int8",
};

export const WRITTEN_ENTRY: Columns = { ...ENTRY, dedupe_id: "text" };

/** What the rows of a batch are. */
export type WrittenKind =
  | "heads"
  | "commits"
  | "ids"
  | "runs"
  | "entries"
  | "decisions"
  | "suspended"
  | "superseded"
  | "refs";

/** The rows of a batch, by what they are. Rows of all but the heads are written only if the head of the same number was. */
export const WRITTEN: Readonly<Record<WrittenKind, Columns>> = {
  heads: { ...MARKED, ...CONDITION, ...THREAD, ...METADATA },
  commits: { ...NUMBERED, ...COMMIT },
  ids: { ...NUMBERED, ...THREAD_ID },
  runs: { ...MARKED, ...RUN },
  entries: { ...MARKED, ...WRITTEN_ENTRY },
  decisions: { ...MARKED, ...DECISION },
  suspended: { ...MARKED, ...SUSPENDED },
  superseded: { ...NUMBERED, ...SUPERSEDED },
  refs: { ...NUMBERED, ...BLOB_REF },
};

export type WrittenRows = Readonly<Record<WrittenKind, readonly Row[]>>;

type Groups = Readonly<Partial<Record<WrittenKind, Columns>>>;

/** The steps of a statement. `given` names the rows of a group. */
export type Steps = (given: (kind: WrittenKind, name?: string) => string) => readonly string[];

/** The groups of which a single plan has one row, or none. */
const SINGLE: ReadonlySet<WrittenKind> = new Set<WrittenKind>(["heads", "commits", "runs", "entries"]);

export interface Statements {
  readonly single: (rows: WrittenRows) => Query;
  readonly many: (rows: WrittenRows) => Query;
}

/** A statement over groups of rows, and the same for a single plan. */
export function statementsOf(groups: Groups, steps: Steps): Statements {
  return { single: statementOf(groups, steps, SINGLE), many: statementOf(groups, steps, new Set()) };
}

function statementOf(groups: Groups, steps: Steps, single: ReadonlySet<WrittenKind>): (rows: WrittenRows) => Query {
  const first = new Map<WrittenKind, number>();
  let next = 1;
  for (const [kind, columns] of entriesOf(groups)) {
    first.set(kind, next);
    next += Object.keys(columns).length;
  }
  const given = (kind: WrittenKind, name = "given"): string =>
    (single.has(kind) ? givenRow : givenRows)(name, groups[kind] ?? {}, first.get(kind));
  const query: Prepared = prepared(`with ${steps(given).join(",\n")}
    select (select coalesce(string_agg(n::text, ','), '') from ours) as ours, ${NOW} as now`);
  const encode = (kind: WrittenKind, columns: Columns, rows: readonly Row[]): readonly SqlValue[] =>
    single.has(kind) ? encodeRow(columns, rows[0]) : encodeRows(columns, rows);
  return (rows) => query(...entriesOf(groups).flatMap(([kind, columns]) => encode(kind, columns, rows[kind])));
}

function entriesOf(groups: Groups): readonly (readonly [WrittenKind, Columns])[] {
  // The keys of the groups are kinds.
  return Object.entries(groups) as [WrittenKind, Columns][];
}
