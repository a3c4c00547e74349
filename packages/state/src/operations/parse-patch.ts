import { StateError, serialization } from "../document/state-error.ts";
import type { Op } from "./op.ts";
import { parseOp } from "./parse-op.ts";
import type { Patch, TrackedPatch } from "./patch.ts";
import { assertFields, ownField, type UntrustedRecord, untrustedRecord } from "./untrusted-record.ts";

/** Checks a patch that came from outside: `{"ops":[…]}`. Errors name the operation by its position. */
export function parsePatch(input: unknown): Patch {
  const record = untrustedRecord(input, "a patch");
  assertFields(record, ["ops"], "a patch");
  return { ops: parseOps(record) };
}

/** Checks a tracked patch that came from outside. */
export function parseTrackedPatch(input: unknown): TrackedPatch {
  const record = untrustedRecord(input, "a tracked patch");
  assertFields(record, ["id", "ops", "source", "description", "timestamp_ms"], "a tracked patch");
  const id = optionalString(record, "id");
  if (id === undefined || id === "") throw serialization('a tracked patch needs an "id"');
  const source = optionalString(record, "source");
  const description = optionalString(record, "description");
  const timestamp = ownField(record, "timestamp_ms");
  if (timestamp !== undefined && !Number.isSafeInteger(timestamp)) {
    throw serialization('"timestamp_ms" is a whole number of milliseconds');
  }
  return {
    id,
    ops: parseOps(record),
    ...(source !== undefined && { source }),
    ...(description !== undefined && { description }),
    ...(timestamp !== undefined && { timestamp_ms: Number(timestamp) }),
  };
}

function parseOps(record: UntrustedRecord): readonly Op[] {
  const ops = ownField(record, "ops");
  if (!Array.isArray(ops)) throw serialization('a patch has a list "ops"');
  return Array.from(ops, (op: unknown, position) => {
    try {
      return parseOp(op);
    } catch (error) {
      throw StateError.is(error) ? error.inOperation(position) : error;
    }
  });
}

function optionalString(record: UntrustedRecord, key: string): string | undefined {
  const value = ownField(record, key);
  if (value !== undefined && typeof value !== "string") throw serialization(`"${key}" is a string`);
  return value;
}
