import type { OutputSchema } from "@reprise/contracts";

type Schema = OutputSchema["schema"];

/**
 * Whether a server may hold the model to a schema word by word. OpenAI does so only where every object names all its fields as
 * required and allows no others, and refuses the request otherwise.
 */
export function isStrictSchema(schema: Schema): boolean {
  const properties = schema.properties;
  if (schema.type === "object" || properties !== undefined) {
    const names = isSchema(properties) ? Object.keys(properties) : [];
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    if (schema.additionalProperties !== false || !names.every((name) => required.includes(name))) return false;
  }
  return childrenOf(schema).every(isStrictSchema);
}

function childrenOf(schema: Schema): readonly Schema[] {
  const groups = [schema.properties, schema.$defs, schema.definitions]
    .filter(isSchema)
    .flatMap((group) => Object.values(group));
  const lists = [schema.anyOf, schema.allOf, schema.oneOf].filter((list) => Array.isArray(list)).flat();
  return [...groups, ...lists, schema.items].filter(isSchema);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
