import { toJson } from "../../tables/stored-json.ts";

/** What has to be done to a row to make it another: properties to set and properties to take out. */
export interface RowChange {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly drop?: readonly string[];
}

/** The difference between two rows, property by property; of a new row all of it. Undefined when there is none. */
export function changeOf(after: object, before: object | undefined): RowChange | undefined {
  const [next, last] = [new Map(propertiesOf(after)), new Map(before === undefined ? [] : propertiesOf(before))];
  const set = [...next].filter(([name, value]) => !last.has(name) || !isSame(value, last.get(name)));
  const drop = [...last.keys()].filter((name) => !next.has(name));
  if (set.length + drop.length === 0) return undefined;
  return {
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(drop.length === 0 ? {} : { drop }),
  };
}

/** The row that a change makes of another. No caller can change it: it is handed out as it is. */
export function changeRow(before: object | undefined, { set = {}, drop = [] }: RowChange): object {
  const row: Record<string, unknown> = { ...before, ...set };
  for (const name of drop) delete row[name];
  return Object.freeze(row);
}

/** A property without a value is none: so it is in JSON. */
function propertiesOf(row: object): [string, unknown][] {
  return Object.entries(row).filter(([, value]) => value !== undefined);
}

function isSame(value: unknown, other: unknown): boolean {
  if (value === other) return true;
  if (typeof value !== "object" || typeof other !== "object") return false;
  return toJson(value) === toJson(other);
}
