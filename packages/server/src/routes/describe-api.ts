import type { Json } from "@reprise/state";
import type { Route } from "../host/route.ts";
import { COMPONENTS } from "../openapi/components.ts";
import type { Operation, OperationAnswer, OperationBody } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";

type JsonObject = { readonly [key: string]: Json };

/** Writes the OpenAPI 3.1 document of some routes, by the groups they are mounted with. */
export function describeApi(groups: Readonly<Record<string, readonly Route[]>>): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [group, routes] of Object.entries(groups)) {
    for (const route of routes) {
      const path = route.path.replace(/:(\w+)/g, "{$1}");
      paths[path] ??= {};
      Object.assign(paths[path], { [route.method.toLowerCase()]: describeRoute(group, route) });
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Reprise",
      version: "1",
      description: "Threads, runs and decisions of a Reprise runtime.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: COMPONENTS,
      responses: {
        Error: { description: "Refused or failed", content: { "application/json": { schema: ref("Error") } } },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key or a JWT" },
        api_key: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
  };
}

/** What every POST takes that does not say otherwise. */
const REPEAT_HEADER = { "idempotency-key": { type: "string", description: "Sent again, it gets the same answer" } };

function describeRoute(group: string, { method, path, scope, operation, knowsRepeats }: Route): JsonObject {
  const headers = { ...(method === "POST" && knowsRepeats !== true && REPEAT_HEADER), ...operation.headers };
  const scopes = [scope].flat();
  const isSigned = scopes.includes("signed");
  const isPublic = scopes.includes("public") || isSigned;
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[\W_]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [group],
    summary: operation.summary,
    ...(isSigned && { description: "Needs a signature." }),
    ...(!isPublic && { description: `Needs the scope ${scopes.join(" or ")}.` }),
    parameters: [...describePath(path), ...describeQuery(operation), ...describeHeaders(headers)],
    ...(operation.body !== undefined && { requestBody: describeBody(operation.body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [status, describeAnswer(answer)]),
      ),
      default: { $ref: "#/components/responses/Error" },
    },
    // Either of the two; none at all for what everybody may see.
    security: isPublic ? [] : [{ bearer: [] }, { api_key: [] }],
  };
}

function describePath(path: string): readonly JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function describeQuery({ query = {} }: Operation): readonly JsonObject[] {
  return Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema }));
}

function describeHeaders(headers: NonNullable<Operation["headers"]>): readonly JsonObject[] {
  return Object.entries(headers).map(([name, schema]) => ({ name, in: "header", schema }));
}

function describeBody({ schema, contentType = "application/json", isOptional }: OperationBody): JsonObject {
  return {
    required: isOptional !== true,
    content: { [contentType]: schema === undefined ? {} : { schema } },
  };
}

function describeAnswer({ description, schema, contentType }: OperationAnswer): JsonObject {
  if (schema === undefined && contentType === undefined) return { description };
  return { description, content: { [contentType ?? "application/json"]: schema === undefined ? {} : { schema } } };
}
