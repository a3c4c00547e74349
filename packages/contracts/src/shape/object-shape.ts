import { findNearest } from "./find-nearest.ts";
import { isPlainObject, oneOf, otherType, type Shape } from "./shape.ts";
import type { ShapePath, ShapeProblem } from "./shape-problem.ts";

interface Row<Value> {
  readonly shape: Shape<Value>;
  readonly meaning?: string;
  /** All names of the field, its own included; the first is the one used in messages. Only its own unless given. */
  readonly names?: readonly string[];
}

export interface NeededField<Value> extends Row<Value> {
  readonly isNeeded: true;
}

export interface OptionalField<Value> extends Row<Value> {
  readonly isNeeded: false;
}

/** A row for every key of an interface, needed where the interface needs it. The compiler finds what is missing here or there. */
export type Fields<Value> = {
  readonly [Key in keyof Value]-?: Partial<Pick<Value, Key>> extends Pick<Value, Key>
    ? OptionalField<Exclude<Required<Value>[Key], undefined>>
    : NeededField<Value[Key]>;
};

export function needed<Value>(shape: Shape<Value>, meaning?: string): NeededField<Value> {
  return { isNeeded: true, shape, ...(meaning !== undefined && { meaning }) };
}

export function optional<Value>(shape: Shape<Value>, meaning?: string): OptionalField<Value> {
  return { isNeeded: false, shape, ...(meaning !== undefined && { meaning }) };
}

/** A field that has several names in what comes from outside. They mean the same; one of them is given. */
export function named<Field extends Row<unknown>>(field: Field, ...names: readonly string[]): Field {
  return { ...field, names };
}

type AnyField = NeededField<unknown> | OptionalField<unknown>;

/** The shape of an object, with the fields it was made of: for readers, and for other objects with some of them. */
export interface ObjectShape<Value extends object> extends Shape<Value> {
  readonly fields: Fields<Value>;
  /** The names of every field, by its own name. */
  readonly names: { readonly [Key in keyof Value & string]-?: readonly string[] };
}

/** An object with exactly these fields. One that is not known is probably a known one, misspelt. */
export function objectOf<Value extends object>(rows: Fields<Value>): ObjectShape<Value> {
  return describeObject(rows, false);
}

/** An object with these fields and any others, which nothing looks at. */
export function openObjectOf<Value extends object>(rows: Fields<Value>): ObjectShape<Value> {
  return describeObject(rows, true);
}

function describeObject<Value extends object>(rows: Fields<Value>, isOpen: boolean): ObjectShape<Value> {
  const fields = new Map<string, AnyField>(Object.entries(rows));
  const own = [...fields.keys()];
  const names = Object.fromEntries(Array.from(fields, ([name, field]) => [name, field.names ?? [name]]));
  const required = own.filter((name) => fields.get(name)?.isNeeded && names[name]?.length === 1);
  const properties = Array.from(fields, ([name, { shape, meaning }]) => {
    const schema = { ...shape.schema, ...(meaning !== undefined && { description: meaning }) };
    return (names[name] ?? []).map((each) => [each, schema] as const);
  });
  return {
    fields: rows,
    // Made of the keys of the fields, which are those of the value.
    names: names as ObjectShape<Value>["names"],
    says: `an object with ${own.map((name) => `\`${name}\``).join(", ")}`,
    schema: {
      type: "object",
      properties: Object.fromEntries(properties.flat()),
      ...(isOpen ? required.length > 0 && { required } : { required, additionalProperties: false }),
    },
    problems: (value, path) => {
      if (!isPlainObject(value)) return [otherType(path, "an object", value)];
      const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
      const absent = own.filter((name) => fields.get(name)?.isNeeded && !given.some(([key]) => key === name));
      return [
        ...absent.map((name) => ({ path: [...path, name], says: " is required" })),
        ...given.flatMap(([key, entry]) => {
          const here = [...path, key];
          return fields.get(key)?.shape.problems(entry, here) ?? (isOpen ? [] : [unknownField(here, own)]);
        }),
      ];
    },
  };
}

/** The same with exactly one of some fields. */
export function withOneOf<Value>(shape: Shape<Value>, ...names: readonly (keyof Value & string)[]): Shape<Value> {
  const quoted = names.map((name) => `\`${name}\``).join(" and ");
  return {
    says: `${shape.says}; exactly one of ${quoted}`,
    schema: { ...shape.schema, oneOf: names.map((name) => ({ required: [name] })) },
    problems: (value, path) => {
      const given = isPlainObject(value) ? names.filter((name) => Object.hasOwn(value, name)).length : 1;
      const own = given === 1 ? [] : [{ path, says: ` must have exactly one of ${quoted} (got ${given})` }];
      return [...own, ...shape.problems(value, path)];
    },
  };
}

/** Several objects by the word in one of their fields, each without it. */
export type Variants<Tag extends string, Value extends Readonly<Record<Tag, string>>> = {
  readonly [Word in Value[Tag]]: Fields<Omit<Extract<Value, Readonly<Record<Tag, Word>>>, Tag>>;
};

/** One of several objects, told apart by the word in one of their fields. `describe` is `openObjectOf` where they may have more fields. */
export function unionOf<Tag extends string, Value extends Readonly<Record<Tag, string>>>(
  tag: Tag,
  variants: Variants<Tag, Value>,
  describe: <Each extends object>(rows: Fields<Each>) => Shape<Each> = objectOf,
): Shape<Value> {
  // The keys of a mapped type over the words are the words.
  const words = Object.keys(variants) as Value[Tag][];
  const word = oneOf(...words);
  const shapes = new Map<string, Shape<object>>(
    words.map((each) => [each, describe<object>({ [tag]: needed(oneOf(each)), ...variants[each] })]),
  );
  return {
    says: `an object whose \`${tag}\` is ${word.says}`,
    schema: { oneOf: Array.from(shapes.values(), ({ schema }) => schema) },
    problems: (value, path) => {
      if (!isPlainObject(value)) return [otherType(path, "an object", value)];
      const own = value[tag];
      const shape = typeof own === "string" ? shapes.get(own) : undefined;
      return shape?.problems(value, path) ?? word.problems(own, [...path, tag]);
    },
  };
}

/** The problem of an unknown field, with the name that was probably meant. The last part of the path is its name. */
export function unknownField(path: ShapePath, known: readonly string[]): ShapeProblem {
  const nearest = findNearest(String(path.at(-1) ?? ""), known);
  return { path, says: nearest === undefined ? " is not known" : ` is not known (the nearest is \`${nearest}\`)` };
}
