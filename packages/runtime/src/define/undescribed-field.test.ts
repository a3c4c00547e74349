import { expect, it } from "vitest";
import { z } from "zod";
import { defineAgent } from "./define-agent.ts";
import { defineTool } from "./define-tool.ts";

const define = (inputSchema: z.ZodType) => () =>
  defineTool({ id: "book", description: "Books.", inputSchema, execute: () => null });

it.each([
  ["day", z.object({ day: z.date() }), "date"],
  ["trip.days[]", z.object({ name: z.string(), trip: z.object({ days: z.array(z.date()).optional() }) }), "date"],
  ["either", z.object({ either: z.union([z.string(), z.bigint()]).nullable() }), "bigint"],
  ["by_name{}", z.object({ by_name: z.record(z.string(), z.date().default(new Date(0))) }), "date"],
  ["pair[1]", z.object({ pair: z.tuple([z.string(), z.set(z.string())]) }), "set"],
  ["later", z.object({ later: z.lazy(() => z.date()) }), "date"],
])("defineTool names the tool and the field %s when JSON does not have its type", (path, schema, type) => {
  expect(define(schema)).toThrow(
    `The input schema of tool "book" cannot be told to a model: the field ${path} is a ${type}, which JSON does not have. Use `,
  );
});

it("defineTool says what to write instead of a date", () => {
  expect(define(z.object({ day: z.date() }))).toThrow("Use z.iso.datetime() or z.iso.date()");
});

it("defineTool ends on a schema that refers to itself", () => {
  interface Node {
    readonly at: Date;
    readonly next?: Node | undefined;
  }
  const node: z.ZodType<Node> = z.lazy(() => z.object({ next: node.optional(), at: z.date() }));
  expect(define(z.object({ first: node }))).toThrow(/the field first\S* is a \w+, which JSON does not have/);
});

it("defineAgent names the agent and the field of its output schema", () => {
  const agent = { id: "planner", model: "openai/gpt-5-mini", outputSchema: z.object({ due: z.date() }) };
  expect(() => defineAgent(agent)).toThrow(/planner.*the field due is a date/);
});
