import { serialization } from "../document/state-error.ts";

/** An object from outside whose fields are still to be checked. */
export type UntrustedRecord = Readonly<Record<string, unknown>>;

export function untrustedRecord(input: unknown, what: string): UntrustedRecord {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw serialization(`${what} is an object`);
  }
  return input as UntrustedRecord;
}

/** Reads a field that the sender wrote, never an inherited one. */
export function ownField(record: UntrustedRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Refuses unknown fields: a misspelt name must not pass silently. */
export function assertFields(record: UntrustedRecord, known: readonly string[], what: string): void {
  for (const key of Object.keys(record)) {
    if (!known.includes(key)) throw serialization(`${what} has no field ${JSON.stringify(key)}`);
  }
}
