/** Statements by the columns of a row. Names come from our own types, never from outside. */
const UPDATES = new Map<string, string>();

/** A table is always updated by the same `where`, with whichever columns changed: few sets of them ever do. */
export function updateSet(table: string, columns: object, where: string): string {
  const names = Object.keys(columns);
  const key = `${table} ${names}`;
  const known = UPDATES.get(key);
  if (known !== undefined) return known;
  const sql = `update ${table} set ${names.map((name) => `${name} = :${name}`).join(", ")} where ${where}`;
  UPDATES.set(key, sql);
  return sql;
}

/** The columns that differ from those stored: what is not written touches no index. */
export function changedColumns<Columns extends object>(after: Columns, before: Columns | undefined): Partial<Columns> {
  if (before === undefined) return after;
  const changed: Partial<Columns> = {};
  for (const name in after) if (after[name] !== before[name]) changed[name] = after[name];
  return changed;
}
