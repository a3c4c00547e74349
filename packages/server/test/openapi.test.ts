import { ROUTES } from "@reprise/server";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { describeApi } from "../src/routes/describe-api.ts";
import type { ApiDocument } from "./support/check-answers.ts";
import { openDemo } from "./support/open-demo.ts";

// The parts that are looked at below are checked to be there.
const document = describeApi(ROUTES) as unknown as ApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);

/** Every object in a value that stands under the key `schema` or among named schemas. */
function schemasIn(value: unknown, key = ""): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  if (key === "schema") return [value];
  return Object.entries(value).flatMap(([name, part]) => schemasIn(part, name));
}

function refsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "$ref" in value && typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}

const at = (ref: string): unknown =>
  ref
    .slice(2)
    .split("/")
    // Plain names: nothing in them is escaped.
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);

describe("the document", () => {
  it("is what is answered", async () => {
    const { ask } = await openDemo();
    const response = await ask("/openapi.json");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await response.json()).toEqual(document);
  });

  it("is OpenAPI 3.1, with the parts that must be there and no others", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document).sort()).toEqual(["components", "info", "openapi", "paths"]);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(Object.keys(document.components).sort()).toEqual(["responses", "schemas", "securitySchemes"]);
  });

  it("has every route that is mounted, and no other", async () => {
    const { server } = await openDemo();
    const mounted = Object.values(server.routes)
      .flatMap((app) => app.routes)
      .filter(({ method }) => method !== "OPTIONS")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    expect(operations.map(({ name }) => name).sort()).toEqual([...new Set(mounted)].sort());
    expect(operations.length).toBe(Object.values(ROUTES).flat().length);
  });

  it("has schemas of draft 2020-12 alone, which can all be used", () => {
    const schemas = [...schemasIn(document.paths), ...Object.values(document.components.schemas)];
    expect(schemas.length).toBeGreaterThan(100);
    // The whole is known under a name, so that what points into it finds its aim.
    const ajv = new Ajv2020({ strict: false }).addSchema({ $id: "api", ...document });
    for (const schema of schemas) {
      expect(ajv.validateSchema(schema), JSON.stringify(schema)).toBe(true);
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
      expect(() => ajv.compile(absolute), JSON.stringify(schema)).not.toThrow();
    }
  });

  it("points only to what is there", () => {
    const refs = refsIn(document);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) expect(at(ref), ref).toBeTypeOf("object");
    const used = new Set(refs);
    for (const name of Object.keys(document.components.schemas)) expect(used).toContain(`#/components/schemas/${name}`);
  });

  it("says which requests may be sent again under a key: all but those that make a key, or do the same again", () => {
    const posts = operations.filter(({ name }) => name.startsWith("POST "));
    const once = posts.filter(
      ({ operation }) => !operation.parameters.some((given) => given.name === "idempotency-key"),
    );
    expect(once.map(({ name }) => name)).toEqual([
      "POST /v1/runs/{id}/case",
      "POST /v1/a2a/agents/{agent_id}/tasks/{task}",
      // In a session the id of a request is its key.
      "POST /mcp",
      "POST /v1/blobs",
      "POST /v1/keys",
    ]);
  });

  it("gives every operation a name of its own that a program can use", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]*$/);
  });
});

describe.each(operations)("$name", ({ path, operation }) => {
  it("says what it is, what it takes and what it answers", () => {
    const known = [
      "operationId",
      "tags",
      "summary",
      "description",
      "parameters",
      "requestBody",
      "responses",
      "security",
    ];
    for (const key of Object.keys(operation)) expect(known).toContain(key);
    expect(operation.summary).toMatch(/^\S.*[^.\s]$/);
    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required === true)).toBe(true);
    const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const parameter of operation.parameters) {
      expect(["path", "query", "header"]).toContain(parameter.in);
      expect(parameter.schema).toBeTypeOf("object");
    }
    const statuses = Object.keys(operation.responses).filter((status) => status !== "default");
    expect(statuses.length).toBeGreaterThan(0);
    for (const status of statuses) {
      expect(status).toMatch(/^[1-5]\d\d$/);
      expect(operation.responses[status]?.description).toBeTruthy();
    }
    expect(operation.responses.default).toEqual({ $ref: "#/components/responses/Error" });
    for (const scheme of operation.security.flatMap(Object.keys)) {
      expect(Object.keys(document.components.securitySchemes)).toContain(scheme);
    }
  });
});
