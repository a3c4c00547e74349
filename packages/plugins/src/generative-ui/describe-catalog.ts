import type { Json, JsonObject } from "@reprise/state";
import { type A2uiCatalog, isObject } from "./a2ui-schemas.ts";

/**
 * A catalog in a few lines for the model: each component with its fields. The whole schemas are thirty times as long, and problems
 * are told when they occur.
 */
export function describeCatalog(catalog: A2uiCatalog): string {
  const { catalogId, components, functions } = catalog;
  const lines = Object.entries(isObject(components) ? components : {}).map(
    ([name, schema]) => `- ${name}: ${fieldsOf(schema, "component").join(", ")}`,
  );
  const calls = Object.entries(isObject(functions) ? functions : {}).map(([name, schema]) => {
    const arguments_ = propertiesOf(schema).get("args");
    return `${name}(${arguments_ === undefined ? "" : fieldsOf(arguments_.schema).join(", ")})`;
  });
  const called = calls.length === 0 ? "" : `\nFunctions, as {"call": name, "args": {…}}: ${calls.join(", ")}`;
  return `Catalog ${String(catalogId)}:\n${lines.join("\n")}${called}`;
}

interface Property {
  readonly schema: Json;
  readonly isRequired: boolean;
}

function fieldsOf(schema: Json, ...hidden: readonly string[]): readonly string[] {
  return [...propertiesOf(schema)]
    .filter(([name]) => !hidden.includes(name))
    .map(([name, { schema: inner, isRequired }]) => `${name}${isRequired ? "" : "?"}${typeOf(inner)}`);
}

/** The properties of a schema, those of its parts included. */
function propertiesOf(schema: Json): ReadonlyMap<string, Property> {
  const found = new Map<string, Property>();
  const read = (part: Json): void => {
    if (!isObject(part)) return;
    const required = Array.isArray(part.required) ? part.required : [];
    if (isObject(part.properties)) {
      for (const [name, inner] of Object.entries(part.properties)) {
        found.set(name, { schema: inner, isRequired: required.includes(name) });
      }
    }
    if (Array.isArray(part.allOf)) for (const each of part.allOf) read(each);
  };
  read(schema);
  return found;
}

/** Only what a name does not say: the words that are allowed, ids, and lists. */
function typeOf(schema: Json): string {
  if (!isObject(schema)) return "";
  const words = enumOf(schema);
  if (words !== undefined) return ` (${words.join("|")})`;
  const { $ref, type, items } = schema as JsonObject;
  if (typeof $ref === "string" && $ref.endsWith("/ComponentId")) return " (id)";
  if (typeof $ref === "string" && $ref.endsWith("/ChildList")) return " (list of ids)";
  if (type === "array" && items !== undefined && propertiesOf(items).size > 0)
    return ` [{${fieldsOf(items).join(", ")}}]`;
  return "";
}

const MOST_WORDS = 12;

function enumOf({ enum: words, oneOf }: JsonObject): readonly string[] | undefined {
  const list = Array.isArray(words) ? words : undefined;
  if (list !== undefined)
    return list.length > MOST_WORDS ? [...list.slice(0, MOST_WORDS).map(String), "…"] : list.map(String);
  if (!Array.isArray(oneOf)) return undefined;
  for (const each of oneOf) {
    const inner = isObject(each) ? enumOf(each) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
