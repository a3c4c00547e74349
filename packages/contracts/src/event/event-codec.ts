import { assertJson, parseJson } from "@reprise/state";
import { RepriseError } from "../errors/reprise-error.ts";
import type { AgentEvent, OpaqueEvent } from "./event.ts";
import type { EventType } from "./event-data.ts";
import { EVENT_SHAPES, type FieldShape, isJournaled } from "./event-shapes.ts";

/** Writes an event as one line of JSON. It is valid UTF-8 whatever the event holds: half a character is written as an escape. */
export function encodeEvent(event: AgentEvent): string {
  const { data } = event;
  // Nearly all have some, and are written as they are.
  for (const _ in data) return JSON.stringify(event);
  const { data: _empty, ...envelope } = event;
  return JSON.stringify(envelope);
}

/** Reads an event that came from outside. Unknown types come back opaque; known ones must have their shape. */
export function decodeEvent(text: string): AgentEvent | OpaqueEvent {
  const input = parse(text);
  const type = input.type;
  if (typeof type !== "string") throw corrupt("an event has a type");
  if (!isEventType(type)) return { type, opaque: true, event: input };
  assertEnvelope(type, input);
  assertData(type, input.data ?? {});
  // The envelope and every field of the data were just checked against the table.
  return input as unknown as AgentEvent;
}

export function isOpaque(event: AgentEvent | OpaqueEvent): event is OpaqueEvent {
  return "opaque" in event;
}

function parse(text: string): { readonly [key: string]: unknown } {
  let input: unknown;
  try {
    input = parseJson(text);
    assertJson(input);
  } catch (error) {
    throw corrupt("it is not JSON", error);
  }
  if (typeof input !== "object" || input === null || Array.isArray(input)) throw corrupt("an event is an object");
  return input as { readonly [key: string]: unknown };
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENT_SHAPES, type);
}

function assertEnvelope(type: EventType, input: { readonly [key: string]: unknown }): void {
  for (const key of ["run_id", "thread_id"]) {
    if (typeof input[key] !== "string") throw corrupt(`${type} needs the string ${key}`);
  }
  if (typeof input.timestamp_ms !== "number") throw corrupt(`${type} needs the number timestamp_ms`);
  if (isJournaled(type) ? !Number.isSafeInteger(input.seq) : input.seq !== undefined) {
    throw corrupt(isJournaled(type) ? `${type} needs a seq` : `${type} has no seq`);
  }
  if (input.lineage !== undefined && (typeof input.lineage !== "object" || input.lineage === null))
    throw corrupt(`${type}: lineage is an object`);
  if (input.step_id !== undefined && typeof input.step_id !== "string") throw corrupt(`${type}: step_id is a string`);
}

function assertData(type: EventType, data: unknown): void {
  const problem = findDataProblem(type, data);
  if (problem !== undefined) throw corrupt(problem);
}

/** Describes the problem with the data of an event. Undefined when the data has the fields of its type. */
export function findDataProblem(type: EventType, data: unknown): string | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return `${type}: data is an object`;
  for (const [field, shape] of Object.entries(EVENT_SHAPES[type])) {
    const value: unknown = Object.hasOwn(data, field) ? (data as Record<string, unknown>)[field] : undefined;
    if (!fits(value, shape)) return `${type}: ${field} is ${shape.replace("?", ", when there,")}`;
  }
  return undefined;
}

function fits(value: unknown, shape: FieldShape): boolean {
  if (value === undefined) return shape.endsWith("?");
  const kind = shape.replace("?", "");
  if (kind === "json" || (kind === "number or null" && (value === null || typeof value === "number"))) return true;
  if (kind === "array") return Array.isArray(value);
  return typeof value === kind && value !== null && !Array.isArray(value);
}

function corrupt(reason: string, cause?: unknown): RepriseError {
  return new RepriseError("CORRUPT_DATA", `Cannot read an event: ${reason}.`, cause === undefined ? {} : { cause });
}
