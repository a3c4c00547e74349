import { fieldsOf } from "./block.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A surface of A2UI 0.9: its components by id, and the values they are bound to. */
export interface ShownSurface {
  readonly components: ReadonlyMap<string, Fields>;
  readonly data: unknown;
}

/** Puts the operations of a snapshot together. Undefined for a surface that was removed. */
export function readSurface(operations: readonly unknown[]): ShownSurface | undefined {
  const components = new Map<string, Fields>();
  let data: unknown = {};
  for (const operation of operations.map(fieldsOf)) {
    if (operation.deleteSurface !== undefined) return undefined;
    const { components: listed } = fieldsOf(operation.updateComponents);
    if (Array.isArray(listed)) for (const each of listed.map(fieldsOf)) components.set(String(each.id), each);
    if (operation.updateDataModel !== undefined) {
      const { path = "/", value } = fieldsOf(operation.updateDataModel);
      data = placeAt(data, String(path), value);
    }
  }
  return components.has("root") ? { components, data } : undefined;
}

/** The absolute path of a binding; one that does not begin with a slash belongs to an item of a list. */
export function resolvePath(path: string, scope: string): string {
  return path.startsWith("/") ? path : `${scope}/${path}`;
}

/** A value of a component: as it is, bound to the data, or made by a function. */
export function readValue(value: unknown, data: unknown, scope: string): unknown {
  const { path, call, args } = fieldsOf(value);
  if (typeof path === "string") return valueAt(data, resolvePath(path, scope));
  if (call === "formatString") return formatText(String(fieldsOf(args).value ?? ""), data, scope);
  if (typeof call === "string") {
    const [first] = Object.values(fieldsOf(args));
    return readValue(first, data, scope);
  }
  return value;
}

export function valueAt(data: unknown, path: string): unknown {
  return partsOf(path).reduce<unknown>(
    (value, part) => (Object.hasOwn(Object(value), part) ? fieldsOf(value)[part] : undefined),
    data,
  );
}

/** The data with another value at a path. Lists and objects on the way are copied, and made where they are missing. */
export function placeAt(data: unknown, path: string, value: unknown): unknown {
  const [part, ...rest] = partsOf(path);
  if (part === undefined) return value;
  const inner = placeAt(fieldsOf(data)[part], rest.map((each) => `/${each}`).join(""), value);
  if (!Array.isArray(data)) return { ...fieldsOf(data), [part]: inner };
  return Object.assign([...data], { [part]: inner });
}

function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "" && !["__proto__", "constructor", "prototype"].includes(part));
}

function formatText(text: string, data: unknown, scope: string): string {
  return text.replaceAll(/\$\{([^{}]+)\}/g, (_, path: string) => String(valueAt(data, resolvePath(path, scope)) ?? ""));
}

/** What a person did on a surface, when a message is that. */
export function readAction(text: string): { readonly name: string; readonly context: unknown } | undefined {
  if (!text.startsWith("{") || text.length > 20_000) return undefined;
  try {
    const { version, action } = fieldsOf(JSON.parse(text));
    const { name, surfaceId, context } = fieldsOf(action);
    const isAction = typeof version === "string" && typeof name === "string" && typeof surfaceId === "string";
    return isAction ? { name, context } : undefined;
  } catch {
    return undefined;
  }
}
