import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { RepriseError } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";

/** A catalog of components, as A2UI describes one: a document with a `catalogId` and a JSON Schema for each component. */
export type A2uiCatalog = JsonObject;

/** Says what is wrong with a value, or undefined when it fits. */
type FindProblem = (value: Json) => string | undefined;

/** The kinds of message by which an agent changes surfaces, each with its schema. */
export const MESSAGE_KINDS = {
  createSurface: "CreateSurfaceMessage",
  updateComponents: "UpdateComponentsMessage",
  updateDataModel: "UpdateDataModelMessage",
  deleteSurface: "DeleteSurfaceMessage",
} as const;

export type MessageKind = keyof typeof MESSAGE_KINDS;

/** The official rules for surfaces of one catalog. */
export interface CatalogRules {
  readonly id: string;
  /** JSON Schemas of the components, by name. */
  readonly components: { readonly [name: string]: JsonObject };
  readonly definitions: { readonly [name: string]: Json };
  findMessageProblem(kind: MessageKind, message: Json): string | undefined;
  findComponentProblem(name: string, component: Json): string | undefined;
}

const SPECIFICATION = "https://a2ui.org/specification/v0_9/";
// The common schemas name the catalog of a surface by this address, whatever its id is.
const CATALOG = `${SPECIFICATION}catalog.json`;

/** The JSON Schemas that the A2UI project publishes. */
interface OfficialSchemas {
  readonly basicCatalog: A2uiCatalog;
  readonly clientToServer: JsonObject;
  readonly commonTypes: JsonObject;
  readonly serverToClient: JsonObject;
}

let official: OfficialSchemas | undefined;

/** Reads the schemas from `@a2ui/web_core`. Programs that show no interfaces need not install it. */
function officialSchemas(): OfficialSchemas {
  official ??= readOfficialSchemas();
  return official;
}

function readOfficialSchemas(): OfficialSchemas {
  try {
    // The package exports no schema; they lie beside its entry for this version.
    const folder = join(dirname(createRequire(import.meta.url).resolve("@a2ui/web_core/v0_9")), "schemas");
    const read = (file: string): JsonObject => JSON.parse(readFileSync(join(folder, file), "utf8"));
    return {
      basicCatalog: read("catalogs/basic/catalog.json"),
      clientToServer: read("client_to_server.json"),
      commonTypes: read("common_types.json"),
      serverToClient: read("server_to_client.json"),
    };
  } catch (cause) {
    const message =
      "The plugin generative_ui needs the package @a2ui/web_core 0.11, which has the schemas of A2UI. Run: npm install @a2ui/web_core@0.11";
    throw new RepriseError("INVALID_DEFINITION", message, { cause });
  }
}

/** The components that every client of A2UI knows. */
export function basicCatalog(): A2uiCatalog {
  return officialSchemas().basicCatalog;
}

/** Compiles the rules for one catalog. `INVALID_DEFINITION` for a document that is no catalog. */
export function createCatalogRules(catalog: A2uiCatalog): CatalogRules {
  const { catalogId, components, $defs } = catalog;
  if (typeof catalogId !== "string" || !isObject(components)) {
    throw new RepriseError("INVALID_DEFINITION", "An A2UI catalog must have a catalogId and components.");
  }
  const ajv = createAjv();
  const definitions = isObject($defs) ? $defs : {};
  // Components are checked one by one, so that a problem names its component instead of every component there is.
  const document = { theme: true, anyFunction: true, ...definitions, anyComponent: { type: "object" } };
  const found = new Map<string, FindProblem>();
  const check = (address: string): FindProblem => {
    let problem = found.get(address);
    if (problem === undefined) {
      const validate = ajv.getSchema(address);
      if (validate === undefined) throw new RepriseError("INVALID_DEFINITION", `Catalog ${catalogId}: no ${address}.`);
      problem = (value) => describeProblem(validate, value);
      found.set(address, problem);
    }
    return problem;
  };
  try {
    const { commonTypes, serverToClient } = officialSchemas();
    ajv.addSchema(commonTypes);
    ajv.addSchema({ ...catalog, $id: CATALOG, $defs: document });
    ajv.addSchema(serverToClient);
    for (const name of Object.keys(components)) check(`${CATALOG}#/components/${escapePointer(name)}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The A2UI catalog ${JSON.stringify(catalogId)} cannot be used: ${reason}.`;
    throw new RepriseError("INVALID_DEFINITION", message, { cause: error });
  }
  return {
    id: catalogId,
    // Each is a schema: it was just compiled.
    components: components as { readonly [name: string]: JsonObject },
    definitions,
    findMessageProblem: (kind, message) =>
      check(`${SPECIFICATION}server_to_client.json#/$defs/${MESSAGE_KINDS[kind]}`)(message),
    findComponentProblem: (name, component) => check(`${CATALOG}#/components/${escapePointer(name)}`)(component),
  };
}

let basic: CatalogRules | undefined;

/** The rules of the basic catalog. Compiled when they are first used: most processes that install the plugin never show anything. */
export function basicCatalogRules(): CatalogRules {
  basic ??= createCatalogRules(basicCatalog());
  return basic;
}

let eventCheck: FindProblem | undefined;

/** Checks an event of a client by the official schema, and describes the problem. */
export function findEventProblem(event: Json): string | undefined {
  if (eventCheck === undefined) {
    const validate = createAjv().compile(officialSchemas().clientToServer);
    eventCheck = (value) => describeProblem(validate, value);
  }
  return eventCheck(event);
}

function createAjv(): Ajv2020 {
  return new Ajv2020({ strict: false, validateFormats: false });
}

/** The most telling error: the one that is deepest in the value. Alternatives that do not apply have shallow ones. */
function describeProblem(validate: ValidateFunction, value: Json): string | undefined {
  if (validate(value)) return undefined;
  const [worst] = (validate.errors ?? []).toSorted((left, right) => depthOf(right) - depthOf(left));
  if (worst === undefined) return "it does not fit its schema";
  const { instancePath, message = "does not fit", params } = worst;
  const detail = params.additionalProperty ?? params.unevaluatedProperty ?? params.allowedValues ?? params.allowedValue;
  return `${instancePath || "it"} ${message}${detail === undefined ? "" : ` (${JSON.stringify(detail).slice(0, 200)})`}`;
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split("/").length;
}

function escapePointer(segment: string): string {
  return encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
