/** A part of a schema that has no JSON Schema. */
export interface UndescribedField {
  /** As in `trip.days[]`; empty for the schema itself. */
  readonly path: string;
  /** The type of the field, such as `date`. */
  readonly type: string;
}

/**
 * Finds the part of a Zod schema that cannot tell its JSON Schema. Zod says only which type is at fault, not where; the schema knows
 * its parts. Undefined for other schemas.
 */
export function findUndescribedField(
  schema: unknown,
  isDescribed: (part: object) => boolean,
): UndescribedField | undefined {
  const find = (part: object, path: string, depth: number): UndescribedField | undefined => {
    const definition = definitionOf(part);
    if (definition === undefined || isDescribed(part)) return undefined;
    for (const [step, child] of depth < MAX_DEPTH ? partsOf(definition) : []) {
      const found = find(child, joinPath(path, step), depth + 1);
      if (found !== undefined) return found;
    }
    return { path, type: String(definition.type) };
  };
  return isObject(schema) ? find(schema, "", 0) : undefined;
}

/** A schema that refers to itself has no end. */
const MAX_DEPTH = 32;

/** Names a replacement for a type that JSON does not have. */
export function adviceFor(type: string): string {
  return ADVICE[type] ?? "Use types that JSON has: objects, arrays, strings, numbers, booleans and null.";
}

const ADVICE: Readonly<Record<string, string>> = {
  date: "Use z.iso.datetime() or z.iso.date() and make a Date of the string in execute.",
  bigint: "Use z.number(), or z.string() for numbers above 2^53.",
  map: "Use z.record() and make a Map of it in execute.",
  set: "Use z.array() and make a Set of it in execute.",
  undefined: "Use .optional().",
  void: "Leave the field out.",
};

type Part = readonly [step: string, schema: object];

/** The schemas inside a schema, by the step that leads to each. */
function partsOf(definition: Readonly<Record<string, unknown>>): readonly Part[] {
  const fields = isObject(definition.shape) ? Object.entries(definition.shape) : [];
  const listed = (items: unknown, step: (index: number) => string): readonly (readonly [string, unknown])[] =>
    Array.isArray(items) ? items.map((item: unknown, index) => [step(index), item]) : [];
  const parts: readonly (readonly [string, unknown])[] = [
    ...fields,
    ["[]", definition.element],
    ["{}", definition.valueType],
    ...listed(definition.items, (index) => `[${index}]`),
    ...listed(definition.options, () => ""),
    ...["innerType", "in", "left", "right"].map((key) => ["", definition[key]] as const),
    ["", typeof definition.getter === "function" ? definition.getter() : undefined],
  ];
  return parts.flatMap(([step, schema]): readonly Part[] => (isObject(schema) ? [[step, schema]] : []));
}

function joinPath(path: string, step: string): string {
  if (path === "" || step === "" || /^[[{]/.test(step)) return `${path}${step}`;
  return `${path}.${step}`;
}

function definitionOf(schema: object): Readonly<Record<string, unknown>> | undefined {
  const inside: unknown = "_zod" in schema ? schema._zod : undefined;
  return isObject(inside) && isObject(inside.def) ? inside.def : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
