/** A value to begin with that has everything an object schema asks for. */
export function exampleOf(schema: unknown): unknown {
  const { properties = {}, required = [] } = Object(schema) as {
    readonly properties?: Readonly<Record<string, { readonly type?: string; readonly enum?: readonly unknown[] }>>;
    readonly required?: readonly string[];
  };
  const values: Readonly<Record<string, unknown>> = { number: 0, integer: 0, boolean: false, array: [], object: {} };
  const exampleFor = (name: string): unknown => {
    const { type = "", enum: [first] = [] } = properties[name] ?? {};
    return first ?? values[type] ?? "";
  };
  return Object.fromEntries(required.map((name) => [name, exampleFor(name)]));
}
