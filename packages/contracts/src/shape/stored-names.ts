import type { Json } from "@reprise/state";
import { isPlainObject } from "./shape.ts";
import type { ShapeProblem } from "./shape-problem.ts";

type SnakeCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : Name;

/** Options as they are stored: an author writes `maxAttempts`, the store and the wire have `max_attempts`. */
export type SnakeCased<Options> = {
  readonly [Key in keyof Options as Key extends string ? SnakeCase<Key> : Key]: Options[Key];
};

/**
 * Gives options their stored names: the one place where camelCase becomes snake_case. The JSON Schema of the stored form tells which
 * keys are names. All other keys (tool ids, sections, JSON of the author's own) stay as they are, and so does a name that is given
 * in both cases, so that the check which follows finds it.
 */
export function toStoredNames(value: unknown, schema: Json | undefined): unknown {
  const variants = variantsOf(schema);
  if (Array.isArray(value)) {
    const [items] = variants.flatMap((variant) => variant.items ?? []);
    return items === undefined ? value : value.map((item) => toStoredNames(item, items));
  }
  if (!isPlainObject(value)) return value;
  const names = new Map(variants.flatMap(({ properties }) => (isSchema(properties) ? Object.entries(properties) : [])));
  const [others] = variants.flatMap(({ additionalProperties }) => additionalProperties ?? []);
  if (names.size === 0 && !isSchema(others)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const stored = snakeCase(key);
      const name = names.has(stored) && !Object.hasOwn(value, stored) ? stored : key;
      return [name, toStoredNames(entry, names.get(name) ?? others)];
    }),
  );
}

/** The same for flat options: every key is a name, and no value is looked into. */
export function toStoredKeys<Options extends object>(options: Options): SnakeCased<Options> {
  const entries = Object.entries(options).map(([key, value]) => [snakeCase(key), value] as const);
  // Each key was given the name that the type gives it.
  return Object.fromEntries(entries) as SnakeCased<Options>;
}

/** `maxAttempts` as `max_attempts`. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `max_attempts` as `maxAttempts`. */
export function camelCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A problem of stored names in the words of an author, whose options are in camelCase. */
export function toAuthorWords(problem: ShapeProblem): ShapeProblem {
  const path = problem.path.map((part) => (typeof part === "string" ? camelCase(part) : part));
  // A name that is given in both cases is known in the other one.
  const given = `\`${problem.path.at(-1)}\``;
  const says = problem.says.replaceAll(/`[a-z0-9_]+`/g, (name) => (camelCase(name) === given ? name : camelCase(name)));
  return { ...problem, path, says };
}

type Schema = { readonly [keyword: string]: Json };

/** A schema, or what a value may be by it. */
function variantsOf(schema: Json | undefined): readonly Schema[] {
  if (!isSchema(schema)) return [];
  const { oneOf = [], anyOf = [] } = schema;
  const variants = [...(Array.isArray(oneOf) ? oneOf : []), ...(Array.isArray(anyOf) ? anyOf : [])];
  return [schema, ...variants.flatMap(variantsOf)];
}

function isSchema(schema: Json | undefined): schema is Schema {
  return isPlainObject(schema);
}
