import type { Json, JsonObject } from "@reprise/state";
import { type CatalogRules, isObject } from "./a2ui-schemas.ts";

type Components = { readonly [id: string]: JsonObject };

/** The ids of the components that a component shows, by its schema: which of its fields hold ids only the catalog knows. */
function findReferences(rules: CatalogRules, component: JsonObject): readonly string[] {
  const found: string[] = [];
  const schema = rules.components[String(component.component)];
  if (schema !== undefined) collect(rules, schema, component, found);
  return found;
}

function collect(rules: CatalogRules, schema: Json | undefined, value: Json, found: string[]): void {
  if (!isObject(schema)) return;
  const { $ref, allOf, anyOf, oneOf, properties, items } = schema;
  if (typeof $ref === "string") {
    if ($ref.endsWith("/ComponentId") && typeof value === "string") found.push(value);
    else if ($ref.endsWith("/ChildList")) collectChildren(value, found);
    else if ($ref.startsWith("#/$defs/")) collect(rules, rules.definitions[$ref.slice(8)], value, found);
  }
  for (const each of [allOf, anyOf, oneOf]) {
    if (Array.isArray(each)) for (const branch of each) collect(rules, branch, value, found);
  }
  if (isObject(properties) && isObject(value)) {
    for (const [key, inner] of Object.entries(properties)) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (key !== "id" && field !== undefined) collect(rules, inner, field, found);
    }
  }
  if (items !== undefined && Array.isArray(value)) for (const item of value) collect(rules, items, item, found);
}

/** A list of ids, or a template that is repeated for a list of the data model. */
function collectChildren(value: Json, found: string[]): void {
  if (Array.isArray(value)) found.push(...value.filter((id) => typeof id === "string"));
  else if (isObject(value) && typeof value.componentId === "string") found.push(value.componentId);
}

export interface ComponentGraph {
  /** Components that show each other in a circle, by id; a renderer would never end. */
  readonly cycle: readonly string[] | undefined;
  /** Ids that are shown and do not exist yet. */
  readonly missing: readonly string[];
}

/** Walks the components of a surface along their references, without recursion: a chain may be as long as the surface is large. */
export function walkComponents(rules: CatalogRules, components: Components): ComponentGraph {
  const missing = new Set<string>();
  const done = new Set<string>();
  for (const start of Object.keys(components)) {
    const path: { readonly id: string; readonly left: string[] }[] = [];
    const open = new Set<string>();
    const enter = (id: string): void => {
      const component = Object.hasOwn(components, id) ? components[id] : undefined;
      if (component === undefined) missing.add(id);
      else if (!done.has(id)) {
        open.add(id);
        path.push({ id, left: [...findReferences(rules, component)] });
      }
    };
    enter(start);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const next = at.left.pop();
      if (next === undefined) {
        path.pop();
        open.delete(at.id);
        done.add(at.id);
      } else if (open.has(next)) {
        const ids = path.map(({ id }) => id);
        return { cycle: [...ids.slice(ids.indexOf(next)), next], missing: [...missing] };
      } else enter(next);
    }
  }
  return { cycle: undefined, missing: [...missing] };
}
