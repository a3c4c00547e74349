import { findNearest } from "./find-nearest.ts";
import { isPlainObject, oneOf, otherType, type Shape } from "./shape.ts";
import type { ShapePath, ShapeProblem } from "./shape-problem.ts";

export interface NeededField<Value> {
  readonly isNeeded: true;
  readonly shape: Shape<Value>;
  readonly meaning?: string;
}

export interface OptionalField<Value> {
  readonly isNeeded: false;
  readonly shape: Shape<Value>;
  readonly meaning?: string;
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

type AnyField = NeededField<unknown> | OptionalField<unknown>;

/** An object with exactly these fields. One that is not known is probably a known one, misspelt. */
export function objectOf<Value extends object>(rows: Fields<Value>): Shape<Value> {
  const fields = new Map<string, AnyField>(Object.entries(rows));
  const names = [...fields.keys()];
  return {
    says: `an object with ${names.map((name) => `\`${name}\``).join(", ")}`,
    schema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from(fields, ([name, { shape, meaning }]) => [
          name,
          { ...shape.schema, ...(meaning !== undefined && { description: meaning }) },
        ]),
      ),
      required: names.filter((name) => fields.get(name)?.isNeeded),
      additionalProperties: false,
    },
    problems: (value, path) => {
      if (!isPlainObject(value)) return [otherType(path, "an object", value)];
      const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
      const absent = names.filter((name) => fields.get(name)?.isNeeded && !given.some(([key]) => key === name));
      return [
        ...absent.map((name) => ({ path: [...path, name], says: " is needed" })),
        ...given.flatMap(([key, entry]) => {
          const here = [...path, key];
          return fields.get(key)?.shape.problems(entry, here) ?? [unknownField(here, names)];
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
      const own = given === 1 ? [] : [{ path, says: ` has exactly one of ${quoted}, not ${given}` }];
      return [...own, ...shape.problems(value, path)];
    },
  };
}

/** Several objects by the word in one of their fields, each without it. */
export type Variants<Tag extends string, Value extends Readonly<Record<Tag, string>>> = {
  readonly [Word in Value[Tag]]: Fields<Omit<Extract<Value, Readonly<Record<Tag, Word>>>, Tag>>;
};

/** One of several objects, told apart by the word in one of their fields. */
export function unionOf<Tag extends string, Value extends Readonly<Record<Tag, string>>>(
  tag: Tag,
  variants: Variants<Tag, Value>,
): Shape<Value> {
  // The keys of a mapped type over the words are the words.
  const words = Object.keys(variants) as Value[Tag][];
  const word = oneOf(...words);
  const shapes = new Map<string, Shape<object>>(
    words.map((each) => [each, objectOf<object>({ [tag]: needed(oneOf(each)), ...variants[each] })]),
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

/** A field nobody knows, and the one that was probably meant. The last part of the path is its name. */
export function unknownField(path: ShapePath, known: readonly string[]): ShapeProblem {
  const nearest = findNearest(String(path.at(-1) ?? ""), known);
  return { path, says: nearest === undefined ? " is not known" : ` is not known (the nearest is \`${nearest}\`)` };
}
