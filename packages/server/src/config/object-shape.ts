import { findNearest } from "@reprise/runtime";
import type { ConfigProblem } from "./config-problem.ts";
import { keyIn, type Place, problemAt } from "./place.ts";
import { describeType, isPlainObject, oneOf, type Shape } from "./shape.ts";

export interface NeededField<Value> {
  readonly isNeeded: true;
  readonly shape: Shape<Value>;
  readonly meaning: string;
}

export interface OptionalField<Value> {
  readonly isNeeded: false;
  readonly shape: Shape<Value>;
  readonly meaning: string;
}

/** A row for every key of an interface, needed where the interface needs it. The compiler finds what is missing here or there. */
export type Fields<Value> = {
  readonly [Key in keyof Value]-?: Partial<Pick<Value, Key>> extends Pick<Value, Key>
    ? OptionalField<Required<Value>[Key]>
    : NeededField<Value[Key]>;
};

export function needed<Value>(shape: Shape<Value>, meaning: string): NeededField<Value> {
  return { isNeeded: true, shape, meaning };
}

export function optional<Value>(shape: Shape<Value>, meaning: string): OptionalField<Value> {
  return { isNeeded: false, shape, meaning };
}

type AnyField = NeededField<unknown> | OptionalField<unknown>;

/** A shape whose fields can be listed. */
export interface ObjectShape<Value> extends Shape<Value> {
  readonly fields: ReadonlyMap<string, AnyField>;
}

/** An object with exactly these fields. One that is not known is probably a known one, misspelt. */
export function objectOf<Value extends object>(rows: Fields<Value>): ObjectShape<Value> {
  const fields = new Map<string, AnyField>(Object.entries(rows));
  const names = [...fields.keys()];
  return {
    fields,
    says: `an object with ${names.map((name) => `\`${name}\``).join(", ")}`,
    schema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from(fields, ([name, { shape, meaning }]) => [name, { ...shape.schema, description: meaning }]),
      ),
      required: names.filter((name) => fields.get(name)?.isNeeded),
      additionalProperties: false,
    },
    problems: (value, place) => {
      if (!isPlainObject(value)) return [problemAt(place, `is an object, not ${describeType(value)}`)];
      const absent = names.filter((name) => fields.get(name)?.isNeeded && !Object.hasOwn(value, name));
      return [
        ...absent.map((name) => problemAt(keyIn(place, name), "is needed")),
        ...Object.entries(value).flatMap(([key, entry]) => {
          const here = keyIn(place, key);
          return fields.get(key)?.shape.problems(entry, here) ?? [unknownField(here, key, names)];
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
    problems: (value, place) => {
      const given = isPlainObject(value) ? names.filter((name) => Object.hasOwn(value, name)).length : 1;
      const own: readonly ConfigProblem[] =
        given === 1 ? [] : [problemAt(place, `has exactly one of ${quoted}, not ${given}`)];
      return [...own, ...shape.problems(value, place)];
    },
  };
}

interface Kinded {
  readonly kind: string;
}

/** One of several objects, told apart by the word in their `kind`. */
export function kindsOf<Value extends Kinded>(
  variants: {
    readonly [Word in Value["kind"]]: Fields<Omit<Extract<Value, { readonly kind: Word }>, "kind">>;
  },
): Shape<Value> {
  // The keys of a mapped type over the words are the words.
  const words = Object.keys(variants) as Value["kind"][];
  const kind = oneOf(...words);
  const shapes = new Map<string, Shape<object>>(
    words.map((word) => [word, objectOf<object>({ kind: needed(oneOf(word), "Which one."), ...variants[word] })]),
  );
  return {
    says: `an object whose \`kind\` is ${kind.says}`,
    schema: { oneOf: Array.from(shapes.values(), ({ schema }) => schema) },
    problems: (value, place) => {
      if (!isPlainObject(value)) return [problemAt(place, `is an object, not ${describeType(value)}`)];
      const shape = typeof value.kind === "string" ? shapes.get(value.kind) : undefined;
      return shape?.problems(value, place) ?? kind.problems(value.kind, keyIn(place, "kind"));
    },
  };
}

/** Names a field nobody knows, and the one that was meant. */
export function unknownField(place: Place, name: string, known: readonly string[]): ConfigProblem {
  const nearest = findNearest(name, known);
  return problemAt(place, nearest === undefined ? "is not known" : `is not known (the nearest is \`${nearest}\`)`);
}
