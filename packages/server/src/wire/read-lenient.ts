import { findNearest } from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import type { JsonBody } from "../http/read-body.ts";
import { type FieldNames, flagOf, readFields } from "./read-fields.ts";

/** More than this many fields that nobody knows are counted, not named. */
const MAX_NAMED = 10;

/** The fields of a body, and what was odd about it. */
export interface LenientFields<Names extends FieldNames> {
  readonly fields: { [Key in keyof Names]?: Json };
  readonly warnings: readonly string[];
}

/** Reads fields, and warns about those it does not know; a body with `strict: true` is refused for them instead. */
export function readLenient<Names extends FieldNames>(body: JsonBody, names: Names): LenientFields<Names> {
  const { strict, ...rest } = body;
  const isStrict = flagOf("strict", strict ?? undefined) ?? false;
  const named: string[] = [];
  let others = 0;
  const note = (name: string, known: readonly string[]): void => {
    // Looking for the nearest name costs far more than the name: nobody may ask for it ten thousand times.
    if (named.length < MAX_NAMED) named.push(describeUnknown(name, known));
    else others += 1;
  };
  const fields = readFields(rest, names, isStrict ? undefined : note);
  return { fields, warnings: others === 0 ? named : [...named, `${others} more unknown fields were ignored`] };
}

function describeUnknown(name: string, known: readonly string[]): string {
  const said = name.slice(0, 80);
  const nearest = findNearest(said, known);
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `unknown field ${JSON.stringify(said)} was ignored${hint}`;
}
