import type { Json, JsonObject } from "@reprise/state";
import { findNearest } from "./find-nearest.ts";
import { describeType, isPlainObject, oneOf, type Shape } from "./shape.ts";

/** The fields of an object by name. */
export interface ObjectFields {
  readonly required?: { readonly [name: string]: Shape };
  readonly optional?: { readonly [name: string]: Shape };
}

/** An object with exactly these fields. A field that is not known is probably a known one, misspelt. */
export function objectOf({ required = {}, optional = {} }: ObjectFields): Shape {
  const shapes = new Map([...Object.entries(required), ...Object.entries(optional)]);
  const known = [...shapes.keys()];
  return {
    says: `an object with ${known.map((name) => `\`${name}\``).join(", ")}`,
    schema: {
      type: "object",
      properties: Object.fromEntries(Array.from(shapes, ([name, { schema }]) => [name, schema])),
      required: Object.keys(required),
      additionalProperties: false,
    },
    problems: (value, at) => {
      if (!isPlainObject(value)) return [`${at} is an object, not ${describeType(value)}`];
      const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
      const absent = Object.keys(required).filter((name) => !given.some(([key]) => key === name));
      return [
        ...absent.map((name) => `${at}.${name} is needed`),
        ...given.flatMap(
          ([key, entry]) =>
            shapes.get(key)?.problems(entry, `${at}.${key}`) ?? [sayUnknown(`${at}.${key}`, key, known)],
        ),
      ];
    },
  };
}

/** One of several objects, told apart by the word in one of their fields. */
export function unionOf(tag: string, variants: { readonly [word: string]: ObjectFields }): Shape {
  const words = Object.keys(variants);
  const shapes = new Map(
    Object.entries(variants).map(([word, { required = {}, optional = {} }]) => [
      word,
      objectOf({ required: { [tag]: oneOf(word), ...required }, optional }),
    ]),
  );
  const tagShape = oneOf(...words);
  return {
    says: `an object whose \`${tag}\` is ${tagShape.says}`,
    schema: { oneOf: Array.from(shapes.values(), ({ schema }): Json => schema) } satisfies JsonObject,
    problems: (value, at) => {
      if (!isPlainObject(value)) return [`${at} is an object, not ${describeType(value)}`];
      const shape = typeof value[tag] === "string" ? shapes.get(value[tag]) : undefined;
      return shape?.problems(value, at) ?? tagShape.problems(value[tag], `${at}.${tag}`);
    },
  };
}

export function sayUnknown(at: string, name: string, known: readonly string[]): string {
  const nearest = findNearest(name, known);
  return nearest === undefined ? `${at} is not known` : `${at} is not known (the nearest is \`${nearest}\`)`;
}
