import { type CheckedInput, RepriseError } from "@reprise/contracts";
import { isJson, type Json, type JsonObject, type StandardSchema } from "@reprise/state";
import { compileSchema } from "./json-schema.ts";
import { adviceFor, findUndescribedField } from "./undescribed-field.ts";

/** The extension of Standard Schema by which a schema tells its own JSON Schema. */
interface DescribesItself {
  readonly "~standard": {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
  };
}

/** The schema of a tool's arguments, as the model sees it and as they are checked. */
export interface InputSchema {
  readonly parameters: JsonObject;
  check(input: Json): Promise<CheckedInput>;
}

/** Any Standard Schema, or plain JSON Schema. */
export function readInputSchema(tool: string, schema: StandardSchema | JsonObject | undefined): InputSchema {
  if (schema === undefined) return fromJsonSchema({ type: "object", properties: {}, additionalProperties: false });
  return isStandardSchema(schema) ? fromStandardSchema(tool, schema) : fromJsonSchema(schema);
}

function isStandardSchema(schema: StandardSchema | JsonObject): schema is StandardSchema {
  return "~standard" in schema;
}

function fromJsonSchema(parameters: JsonObject): InputSchema {
  const validate = compileSchema(parameters);
  return {
    parameters,
    check: async (input) => {
      const problem = validate(input);
      return problem === undefined ? { ok: true, input } : { ok: false, problem };
    },
  };
}

function fromStandardSchema(tool: string, schema: StandardSchema): InputSchema {
  return {
    parameters: describe(`The input schema of tool ${JSON.stringify(tool)}`, schema),
    check: async (input) => {
      const result = await schema["~standard"].validate(input);
      if (result.issues === undefined) return { ok: true, input: result.value };
      return { ok: false, problem: result.issues.map(({ message, path = [] }) => sayIssue(message, path)).join("; ") };
    },
  };
}

function sayIssue(message: string, path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return at === "" ? message : `${at}: ${message}`;
}

/** The JSON Schema of a schema, checked. */
export function describeSchema(what: string, schema: StandardSchema | JsonObject): JsonObject {
  const described = isStandardSchema(schema) ? describe(what, schema) : schema;
  compileSchema(described);
  return described;
}

function describe(what: string, schema: StandardSchema): JsonObject {
  if (!describesItself(schema)) {
    const message = `${what} cannot tell its JSON Schema. Use a schema library that can (Zod 4.2 or newer), or plain JSON Schema.`;
    throw new RepriseError("INVALID_DEFINITION", message);
  }
  try {
    const described = tellJsonSchema(schema);
    if (isJson(described)) return described as JsonObject;
    throw new Error("It is not JSON.");
  } catch (error) {
    throw cannotDescribe(what, schema, error);
  }
}

function tellJsonSchema(schema: DescribesItself): unknown {
  return schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
}

/** Names the field at fault where the schema's parts can be asked one by one. */
function cannotDescribe(what: string, schema: StandardSchema, cause: unknown): RepriseError {
  const field = findUndescribedField(schema, (part) => {
    try {
      tellJsonSchema(part as DescribesItself);
      return true;
    } catch {
      return false;
    }
  });
  const reason = cause instanceof Error ? cause.message : String(cause);
  const problem =
    field === undefined
      ? reason
      : `${field.path === "" ? "it" : `the field ${field.path}`} is a ${field.type}, which JSON does not have. ${adviceFor(field.type)}`;
  return new RepriseError("INVALID_DEFINITION", `${what} cannot be told to a model: ${problem}`, {
    details: { ...(field !== undefined && { field: field.path }) },
    cause,
  });
}

function describesItself(schema: StandardSchema): schema is StandardSchema & DescribesItself {
  const standard: object = schema["~standard"];
  return "jsonSchema" in standard && typeof standard.jsonSchema === "object" && standard.jsonSchema !== null;
}
