import { describeThrown } from "@reprise/contracts";
import { type Json, MAX_DEPTH } from "@reprise/state";

/** What a tool returned as JSON, or what is wrong with it and where. */
export type OutputJson = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/**
 * Reads a value of an author's code the way `JSON.stringify` does (`toJSON` counts, undefined properties are left out), except that
 * nothing is lost without a word: what JSON cannot say is a problem. A copy, because the author may write to the original later.
 */
export function outputJson(value: unknown): OutputJson {
  try {
    return { ok: true, value: convert(value ?? null, "output", []) };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Stands in a replay for a value that was not JSON. */
export class Unreadable {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

class NotJson extends Error {
  override readonly name = "NotJson";
}

/** `inside` holds the objects around the value: one of them inside itself has no end. */
function convert(value: unknown, path: string, inside: readonly object[]): Json {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw new NotJson(`${path} is ${value}`);
    case "object":
      return value === null ? null : convertObject(value, path, inside);
    case "undefined":
      throw new NotJson(`${path} is undefined`);
    default:
      throw new NotJson(`${path} is a ${typeof value}`);
  }
}

function convertObject(value: object, path: string, inside: readonly object[]): Json {
  if (value instanceof Unreadable) throw new NotJson(value.problem);
  if (inside.includes(value)) throw new NotJson(`${path} refers back to what it is in`);
  if (inside.length >= MAX_DEPTH) throw new NotJson(`${path} is nested deeper than ${MAX_DEPTH} levels`);
  const within = [...inside, value];
  if (value instanceof Date && Number.isNaN(value.getTime())) throw new NotJson(`${path} is an invalid Date`);
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const { toJSON } = value;
    const plain: unknown = attempt(() => Reflect.apply(toJSON, value, []), `${path}.toJSON()`);
    // What it answers with is not asked again, as in JSON.stringify.
    return isObject(plain) && plain !== value ? convertMembers(plain, path, within) : convert(plain, path, within);
  }
  return convertMembers(value, path, within);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function convertMembers(value: object, path: string, within: readonly object[]): Json {
  if (Array.isArray(value)) return Array.from(value, (item, index) => convert(item, `${path}[${index}]`, within));
  // Rows of a database are often instances of a class. What has a tag of its own (Map, Error, Headers) keeps its content elsewhere.
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (tag !== "Object") throw new NotJson(`${path} is of the type ${tag}`);
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const here = /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    const member = attempt(() => (value as Readonly<Record<string, unknown>>)[key], here);
    if (member === undefined) continue;
    // Not an assignment: `__proto__` is an ordinary key of JSON.
    Object.defineProperty(copy, key.toWellFormed(), { value: convert(member, here, within), ...ORDINARY });
  }
  return copy;
}

const ORDINARY = { writable: true, enumerable: true, configurable: true } as const;

function attempt<Value>(run: () => Value, what: string): Value {
  try {
    return run();
  } catch (error) {
    throw new NotJson(`${what} threw: ${describeThrown(error)}`);
  }
}
