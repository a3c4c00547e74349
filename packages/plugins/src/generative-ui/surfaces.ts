import type { Json, JsonObject } from "@reprise/state";
import { type CatalogRules, isObject } from "./a2ui-schemas.ts";
import { walkComponents } from "./component-graph.ts";

/** A surface as the thread keeps it: what is shown, in no version of a protocol. */
export interface Surface {
  readonly catalog_id: string;
  readonly theme?: JsonObject;
  /** Whether the client is asked to send the data model along with actions. */
  readonly sends_data?: true;
  /** By id. The component with the id `root` is the top. */
  readonly components: { readonly [id: string]: JsonObject };
  /** The values that components are bound to, and the user's entries. */
  readonly data: Json;
}

export interface Surfaces {
  readonly [surfaceId: string]: Surface;
}

/** One change of a surface, in no version of a protocol. */
export type SurfaceChange =
  | {
      readonly type: "create";
      readonly surfaceId: string;
      readonly catalogId: string;
      readonly theme?: JsonObject;
      readonly sendsData?: boolean;
    }
  | { readonly type: "components"; readonly surfaceId: string; readonly components: readonly JsonObject[] }
  /** Without a value, what is at the path is removed. */
  | { readonly type: "data"; readonly surfaceId: string; readonly path: string; readonly value?: Json }
  | { readonly type: "delete"; readonly surfaceId: string };

export interface SurfaceLimits {
  readonly maxSurfaces: number;
  readonly maxComponents: number;
  readonly maxSurfaceBytes: number;
}

export interface SurfaceRules {
  /** By catalog id. */
  readonly catalogs: ReadonlyMap<string, CatalogRules>;
  readonly limits: SurfaceLimits;
}

/** A change that cannot be made. The message is for the model. */
export class SurfaceProblem extends Error {
  override readonly name = "SurfaceProblem";
}

/** Makes changes, all or none: a `SurfaceProblem` says why not. */
export function changeSurfaces(before: Surfaces, changes: readonly SurfaceChange[], rules: SurfaceRules): Surfaces {
  const surfaces = new Map(Object.entries(before));
  const touched = new Set<string>();
  for (const change of changes) {
    const { surfaceId } = change;
    assertId("surfaceId", surfaceId);
    const surface = surfaces.get(surfaceId);
    if (change.type === "create") {
      if (surface !== undefined)
        throw new SurfaceProblem(`Surface ${quote(surfaceId)} exists already. Update or delete it.`);
      surfaces.set(surfaceId, createSurface(change, rules));
    } else if (surface === undefined) {
      const known = [...surfaces.keys()].slice(0, 10).map(quote).join(", ") || "none";
      throw new SurfaceProblem(`There is no surface ${quote(surfaceId)}. Create it first. Surfaces: ${known}.`);
    } else if (change.type === "delete") surfaces.delete(surfaceId);
    else if (change.type === "components") surfaces.set(surfaceId, placeComponents(surface, change.components, rules));
    else surfaces.set(surfaceId, { ...surface, data: placeData(surface.data, change) });
    touched.add(surfaceId);
  }
  const { maxSurfaces } = rules.limits;
  if (surfaces.size > maxSurfaces) {
    throw new SurfaceProblem(`A thread may have ${maxSurfaces} surfaces. Delete one first.`);
  }
  for (const id of touched) {
    const surface = surfaces.get(id);
    if (surface !== undefined) assertSurface(id, surface, rules);
  }
  return Object.fromEntries(surfaces);
}

function createSurface(
  { catalogId, theme, sendsData }: Extract<SurfaceChange, { readonly type: "create" }>,
  { catalogs }: SurfaceRules,
): Surface {
  if (!catalogs.has(catalogId)) {
    const known = [...catalogs.keys()].map(quote).join(", ");
    throw new SurfaceProblem(`There is no catalog ${quote(catalogId)}. Catalogs: ${known}.`);
  }
  return {
    catalog_id: catalogId,
    ...(theme !== undefined && { theme }),
    ...(sendsData === true && { sends_data: true }),
    components: {},
    data: {},
  };
}

function placeComponents(surface: Surface, given: readonly JsonObject[], { catalogs }: SurfaceRules): Surface {
  const rules = catalogs.get(surface.catalog_id);
  const components = { ...surface.components };
  for (const component of given) {
    const { id, component: name } = component;
    if (typeof id !== "string") throw new SurfaceProblem("Every component needs an id.");
    assertId("The id of a component", id);
    if (rules === undefined || typeof name !== "string" || !Object.hasOwn(rules.components, name)) {
      const known = Object.keys(rules?.components ?? {}).join(", ");
      throw new SurfaceProblem(`Component ${quote(id)}: the catalog has no ${quote(String(name))}. It has: ${known}.`);
    }
    const problem = rules.findComponentProblem(name, component) ?? findUnsafeUrl(component);
    if (problem !== undefined) throw new SurfaceProblem(`Component ${quote(id)} (${name}): ${problem}.`);
    components[id] = component;
  }
  return { ...surface, components };
}

function assertSurface(id: string, surface: Surface, { catalogs, limits }: SurfaceRules): void {
  const count = Object.keys(surface.components).length;
  const { maxComponents, maxSurfaceBytes } = limits;
  if (count > maxComponents) {
    throw new SurfaceProblem(`Surface ${quote(id)} has ${count} components; ${maxComponents} are allowed.`);
  }
  const bytes = new TextEncoder().encode(JSON.stringify(surface)).byteLength;
  if (bytes > maxSurfaceBytes) {
    throw new SurfaceProblem(`Surface ${quote(id)} has ${bytes} bytes; ${maxSurfaceBytes} are allowed.`);
  }
  const problem = findUnsafeUrl(surface.theme ?? null) ?? findScriptUrl(surface.data);
  if (problem !== undefined) throw new SurfaceProblem(`Surface ${quote(id)}: ${problem}.`);
  const rules = catalogs.get(surface.catalog_id);
  const cycle = rules && walkComponents(rules, surface.components).cycle;
  if (cycle !== undefined) {
    throw new SurfaceProblem(`Surface ${quote(id)}: components contain each other: ${cycle.slice(0, 10).join(" > ")}.`);
  }
}

/** Ids become keys of objects. */
function assertId(what: string, id: string): void {
  if (/^[^\p{Cc}]{1,128}$/u.test(id) && !RESERVED.has(id)) return;
  throw new SurfaceProblem(
    `${what} must have 1 to 128 characters and not be a reserved word (got ${quote(id.slice(0, 140))}).`,
  );
}

const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const MOST_SEGMENTS = 32;

/** The data model with a value placed or removed at a JSON Pointer. What is missing on the way is made. */
function placeData(data: Json, { path, value }: { readonly path: string; readonly value?: Json }): Json {
  if (path === "" || path === "/") return value ?? {};
  const segments = path
    .replace(/^\//, "")
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (segments.length > MOST_SEGMENTS || segments.some((segment) => RESERVED.has(segment))) {
    throw new SurfaceProblem(`The path ${quote(path.slice(0, 140))} is not allowed.`);
  }
  return placeAt(data, segments, value, path);
}

function placeAt(node: Json, [segment = "", ...rest]: readonly string[], value: Json | undefined, path: string): Json {
  const container = node ?? (isIndex(segment) ? [] : {});
  if (Array.isArray(container)) {
    const index = Number(segment);
    // A distant index would fill the list with nulls, without a limit.
    if (!isIndex(segment) || index > container.length) {
      throw new SurfaceProblem(`The path ${quote(path)} names no item of its list: ${quote(segment)}.`);
    }
    const inner = rest.length === 0 ? (value ?? null) : placeAt(container[index] ?? null, rest, value, path);
    return container.toSpliced(index, 1, inner);
  }
  if (!isObject(container))
    throw new SurfaceProblem(`The path ${quote(path)} leads through a value that is no object.`);
  if (rest.length === 0 && value === undefined) {
    const { [segment]: _, ...others } = container;
    return others;
  }
  const own = Object.hasOwn(container, segment) ? (container[segment] ?? null) : null;
  return { ...container, [segment]: rest.length === 0 ? (value ?? null) : placeAt(own, rest, value, path) };
}

function isIndex(segment: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(segment);
}

/** Browsers leave out blanks and control characters when they read the scheme of a URL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what hides a scheme.
const IGNORED_IN_URLS = /[\u0000-\u0020]/g;
const SAFE_URL = /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp)[;,]|[^:/?#]*(?:[/?#]|$))/i;

/** A literal URL that is none a page may load or open; fields for URLs are called `url`, `iconUrl` and so on. */
function findUnsafeUrl(value: Json, key = ""): string | undefined {
  if (typeof value === "string") {
    const isSafe = !/url$/i.test(key) || SAFE_URL.test(value.replaceAll(IGNORED_IN_URLS, ""));
    return isSafe ? undefined : `the URL ${quote(value.slice(0, 60))} is not allowed; use https`;
  }
  return findIn(value, findUnsafeUrl);
}

/** In the data model nothing says what a value is for: only what is a script and nothing else is refused. */
function findScriptUrl(value: Json): string | undefined {
  if (typeof value !== "string") return findIn(value, findScriptUrl);
  const isScript = /^\s*(?:(?:javascript|vbscript):\S+|data:text\/html)/i.test(value);
  return isScript ? `the data model holds a script: ${quote(value.slice(0, 60))}` : undefined;
}

function findIn(value: Json, find: (inner: Json, key: string) => string | undefined): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const problem = find(inner, key);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
