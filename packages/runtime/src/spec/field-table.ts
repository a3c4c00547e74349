import {
  isPlainObject,
  otherType,
  type Shape,
  type ShapePath,
  type ShapeProblem,
  unknownField,
} from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";

/** One row of a table of fields: everything the reader and the reference page say about a field. */
export interface FieldRow {
  readonly name: string;
  /** Other names people use. Two names of one field in one document are a contradiction. */
  readonly aliases?: readonly string[];
  readonly shape: Shape<unknown>;
  /** Used when the field is not given; absent for a field that then stays so. */
  readonly default?: Json;
  readonly isRequired?: boolean;
  readonly meaning: string;
}

/** The fields of a kind of document, and what else must be true of them together. */
export interface FieldTable {
  /** In a sentence: `an agent spec`. */
  readonly says: string;
  readonly rows: readonly FieldRow[];
  findMore(fields: { readonly [name: string]: Json }): readonly ShapeProblem[];
}

/** The fields of a document under their one name, with their defaults, and what is wrong with them. */
export interface ReadFields {
  readonly fields: { readonly [name: string]: Json };
  readonly problems: readonly ShapeProblem[];
}

/** Reads a document by a table. Goes through all of it: every problem is reported, not only the first. */
export function readFields({ rows, findMore }: FieldTable, document: { readonly [key: string]: unknown }): ReadFields {
  const problems: ShapeProblem[] = [];
  const fields: { [name: string]: Json } = {};
  const names = rows.flatMap((row) => namesOf(row));
  for (const key of Object.keys(document)) if (!names.includes(key)) problems.push(unknownField([key], names));
  for (const row of rows) {
    const given = namesOf(row).filter((name) => Object.hasOwn(document, name) && document[name] !== undefined);
    const [name, ...others] = given;
    if (name === undefined) {
      if (row.isRequired) problems.push({ path: [row.name], says: " is required" });
      else if (row.default !== undefined) fields[row.name] = row.default;
      continue;
    }
    if (others.length > 0) {
      const says = ` and ${others.map(quote).join(" and ")} are names of one field; give one of them`;
      problems.push({ path: [name], says });
    }
    const value = document[name];
    const found = row.shape.problems(value, [name]);
    problems.push(...found);
    // Shapes fit JSON only.
    if (found.length === 0) fields[row.name] = value as Json;
  }
  return { fields, problems: [...problems, ...findMore(fields)] };
}

/** The documents of a table as a shape. */
export function shapeOf(table: FieldTable): Shape<JsonObject> {
  return {
    says: table.says,
    schema: schemaOf(table.rows),
    problems: (value: unknown, path: ShapePath) => {
      if (!isPlainObject(value)) return [otherType(path, "an object", value)];
      return readFields(table, value).problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
    },
  };
}

/** The JSON Schema of documents with these fields, aliases included. */
function schemaOf(rows: readonly FieldRow[]): JsonObject {
  const properties = rows.flatMap((row) =>
    namesOf(row).map((name) => [name, { ...row.shape.schema, description: row.meaning }] as const),
  );
  const required = rows.filter(({ isRequired, aliases = [] }) => isRequired && aliases.length === 0);
  const aliased = rows.filter(({ aliases = [] }) => aliases.length > 0);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: required.map(({ name }) => name),
    ...(aliased.length > 0 && { allOf: aliased.map(underOneName) }),
    additionalProperties: false,
  };
}

/** A field with aliases has one of its names, or none if it may be left out. */
function underOneName(row: FieldRow): Json {
  const given = namesOf(row).map((name) => ({ required: [name] }));
  return { oneOf: row.isRequired ? given : [...given, { not: { anyOf: given } }] };
}

function namesOf({ name, aliases = [] }: FieldRow): readonly string[] {
  return [name, ...aliases];
}

function quote(name: string): string {
  return `\`${name}\``;
}
