import { ROUTES } from "@reprise/server";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { Ajv2020 as Validator } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { describeApi } from "../../src/routes/describe-api.ts";

/** The parts of an OpenAPI document that are looked at. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, ApiAnswer>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface ApiAnswer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: ApiAnswer["content"] };
  readonly responses: Readonly<Record<string, ApiAnswer>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** Checks that answers are what the document says, and nothing more: a field it does not know is a fault. */
class AnswerChecks {
  readonly #document: ApiDocument;
  readonly #ajv: Ajv2020 = new Validator({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv.addSchema({ $id: "api", ...closed(document) });
  }

  /** A body that was taken is one the document allows. */
  checkTaken(method: string, path: string, body: object): void {
    const template = this.#templateOf(path.split("?", 1)[0] ?? "");
    const taken = this.#document.paths[template]?.[method.toLowerCase()]?.requestBody;
    expect(Object.keys(taken?.content ?? {}), `${method} ${template} takes a body`).toContain("application/json");
    const place = ["paths", template, method.toLowerCase(), "requestBody", "content", "application/json", "schema"];
    const validate = this.#validatorAt(place);
    expect(validate(body) ? [] : validate.errors, `the body of ${method} ${template}`).toEqual([]);
  }

  async check(method: string, path: string, response: Response): Promise<void> {
    const template = this.#templateOf(path.split("?", 1)[0] ?? "");
    const operation = this.#document.paths[template]?.[method.toLowerCase()];
    const type = response.headers.get("content-type");
    // What nobody mounted is not described either, and is refused like everything else.
    const isKnown = operation?.responses[response.status] !== undefined;
    const what = `${method} ${template || path} ${response.status}`;
    expect(isKnown || response.status >= 400, `${what} is described`).toBe(true);
    const answer = isKnown ? operation?.responses[response.status] : this.#document.components.responses.Error;
    const types = Object.keys(answer?.content ?? {});
    if (types.length === 0) return expect([what, type]).toEqual([what, null]);
    expect(types, what).toContain((type ?? "").split(";", 1)[0]);
    if (type !== "application/json") return;
    const place = isKnown
      ? ["paths", template, method.toLowerCase(), "responses", String(response.status)]
      : ["components", "responses", "Error"];
    const validate = this.#validatorAt([...place, "content", "application/json", "schema"]);
    const isValid = validate(await response.clone().json());
    expect(isValid ? [] : validate.errors, what).toEqual([]);
  }

  #validatorAt(place: readonly string[]): ValidateFunction {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    const known = this.#validators.get(pointer);
    const validate = known ?? this.#ajv.compile({ $ref: `api#/${pointer}` });
    this.#validators.set(pointer, validate);
    return validate;
  }

  /** The most literal of the paths that fit. */
  #templateOf(path: string): string {
    const fitting = Object.keys(this.#document.paths).filter((template) =>
      new RegExp(`^${template.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    );
    return fitting.sort((one, other) => one.split("{").length - other.split("{").length)[0] ?? "";
  }
}

let checks: AnswerChecks | undefined;

/** Checks an answer of any route, and what it answers to. */
export function checkAnswer(method: string, path: string, response: Response, body?: object): Promise<void> {
  // The parts that are looked at are there: the test of the document says so.
  checks ??= new AnswerChecks(describeApi(ROUTES) as unknown as ApiDocument);
  if (response.ok && body !== undefined) checks.checkTaken(method, path, body);
  return checks.check(method, path, response);
}

/** The same document in which an object has the fields that are named and no others. */
function closed<Part>(part: Part): Part {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(closed) as Part;
  const entries = Object.entries(part).map(([key, value]) => [key, closed(value)] as const);
  const isOpen = "properties" in part && "type" in part && !("additionalProperties" in part);
  // The same keys with values of the same kinds, and one more keyword of a schema.
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) } as Part;
}
