import { type ErrorCode, RepriseError } from "@reprise/contracts";
import { describeProblem, findNearest, type ObjectShape } from "@reprise/contracts/shape";
import type { JsonBody } from "../http/read-body.ts";
import { flagOf, readFields } from "./read-fields.ts";

/** More unknown fields than this are counted instead of named. */
const MAX_NAMED = 10;

/** A body that has its shape, and warnings about how it was written. */
export interface ShapedBody<Value> {
  readonly value: Value;
  readonly warnings: readonly string[];
}

/**
 * Reads the fields of a body by any of their names and checks them. Unknown fields are warned about; a body with `strict: true` is
 * refused for them instead. `adapt` may change the fields before they are checked.
 */
export function readShaped<Value extends object>(
  body: JsonBody,
  shape: ObjectShape<Value>,
  adapt: (fields: JsonBody) => JsonBody = (fields) => fields,
): ShapedBody<Value> {
  const isStrict = flagOf("strict", body.strict ?? undefined) ?? false;
  const named: string[] = [];
  let others = 0;
  const note = (name: string, known: readonly string[]): void => {
    // Finding the nearest name is expensive: a client must not cause it ten thousand times.
    if (named.length < MAX_NAMED) named.push(describeUnknown(name, known));
    else others += 1;
  };
  // Only fields that are there are set.
  const fields = readFields(body, shape.names, isStrict ? undefined : note) as JsonBody;
  const value = adapt(fields);
  assertShaped(shape, value);
  return { value, warnings: others === 0 ? named : [...named, `${others} more unknown fields were ignored`] };
}

/** The same for a body in which no field may be unknown. */
export function readExactly<Value extends object>(body: JsonBody, shape: ObjectShape<Value>): Value {
  // Only fields that are there are set.
  const value: unknown = readFields(body, shape.names);
  assertShaped(shape, value);
  return value;
}

/** Refuses a value for the first problem with its shape, under the name that clients use. */
function assertShaped<Value extends object>(shape: ObjectShape<Value>, value: unknown): asserts value is Value {
  const [problem] = shape.problems(value, []);
  if (problem === undefined) return;
  const names: { readonly [field: string]: readonly string[] } = shape.names;
  const [field, ...inside] = problem.path;
  const path = field === undefined ? [] : [names[field]?.[0] ?? field, ...inside];
  // A rule with a code of its own has one of the catalogue.
  const code = (problem.code ?? "INVALID_REQUEST") as ErrorCode;
  throw new RepriseError(code, `${describeProblem({ ...problem, path })}.`);
}

function describeUnknown(name: string, known: readonly string[]): string {
  const said = name.slice(0, 80);
  const nearest = findNearest(said, known);
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `unknown field ${JSON.stringify(said)} was ignored${hint}`;
}
