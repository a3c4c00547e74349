import type { Json } from "./json.ts";
import { MAX_DEPTH, type Path } from "./path.ts";
import { invalidOperation, type StateError, serialization } from "./state-error.ts";

/**
 * Refuses a value that is not plain JSON, or nests deeper than `MAX_DEPTH` when placed at `at`.
 * Costs what the value costs to read, and nothing for a scalar.
 */
export function assertJson(value: unknown, at: Path = [], levelsAbove: number = at.length): asserts value is Json {
  const problem = findProblem(value, levelsAbove);
  if (problem !== undefined) throw problem.withPrefix(at);
}

/** The same for a value that becomes an item of the array at a path, which itself counts as a level. */
export function assertItem(value: unknown, array: Path): asserts value is Json {
  if (array.length >= MAX_DEPTH) throw invalidOperation(`values nest deeper than ${MAX_DEPTH} levels`, array);
  assertJson(value, array, array.length + 1);
}

/** Whether a value is plain JSON within the depth limit. */
export function isJson(value: unknown): value is Json {
  return findProblem(value, 0) === undefined;
}

/** Returns the first offence. Its path is put together on the way out, so that good values cost no allocation. */
function findProblem(value: unknown, level: number): StateError | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : serialization(`${value} is not a JSON number`, []);
    case "object":
      if (value === null) return undefined;
      if (level >= MAX_DEPTH) return invalidOperation(`values nest deeper than ${MAX_DEPTH} levels`, []);
      return Array.isArray(value) ? findProblemInArray(value, level) : findProblemInObject(value, level);
    case "undefined":
      return serialization("undefined is not JSON; leave the key out or use null", []);
    default:
      return serialization(`a ${typeof value} is not JSON`, []);
  }
}

function findProblemInArray(array: readonly unknown[], level: number): StateError | undefined {
  if (!isPlainArray(array)) return serialization(`an instance of ${className(array)} is not plain JSON`, []);
  for (let index = 0; index < array.length; index++) {
    if (array[index] === undefined) return serialization("an array has no holes and no undefined items", [index]);
    const problem = findProblem(array[index], level + 1);
    if (problem !== undefined) return problem.withPrefix([index]);
  }
  return undefined;
}

function findProblemInObject(object: object, level: number): StateError | undefined {
  if (!isPlain(object)) {
    return serialization(`an instance of ${className(object)} is not plain JSON`, []);
  }
  // Not Object.entries: this runs for every value that is written, and pairs would be made to be thrown away.
  for (const key of Object.keys(object)) {
    const problem = findProblem((object as Record<string, unknown>)[key], level + 1);
    if (problem !== undefined) return problem.withPrefix([key]);
  }
  return undefined;
}

/** Plain: made by a literal or JSON.parse, in this realm or another, or without a prototype. */
export function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** An array as such, in this realm or another; a subclass stands one step further from the end of its chain. */
function isPlainArray(array: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(array);
  if (prototype === Array.prototype) return true;
  const next: unknown = prototype === null ? null : Object.getPrototypeOf(prototype);
  return next !== null && Object.getPrototypeOf(next) === null;
}

/** The name of an object's class for people. An object from anywhere may have anything for a constructor. */
function className(object: object): string {
  try {
    const name: unknown = object.constructor.name;
    return typeof name === "string" && name !== "" ? name : "a class";
  } catch {
    return "a class";
  }
}
