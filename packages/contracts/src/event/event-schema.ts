import type { Json, JsonObject } from "@reprise/state";
import { EVENT_SHAPES, EVENT_TYPES, type FieldShape, isJournaled } from "./event-shapes.ts";

/** JSON Schema (2020-12) of the canonical event, for clients in other languages. Unknown types are allowed on purpose. */
export function eventSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "AgentEvent",
    type: "object",
    required: ["type", "run_id", "thread_id", "timestamp_ms"],
    properties: {
      type: { type: "string" },
      run_id: { type: "string" },
      thread_id: { type: "string" },
      seq: { type: "integer", minimum: 1 },
      timestamp_ms: { type: "number" },
      step_id: { type: "string" },
      lineage: {
        type: "object",
        required: ["parent_run_id", "call_id", "agent_id", "depth"],
        properties: {
          parent_run_id: { type: "string" },
          call_id: { type: "string" },
          agent_id: { type: "string" },
          depth: { type: "integer", minimum: 1 },
        },
      },
      data: { type: "object" },
    },
    allOf: EVENT_TYPES.map((type) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema, and this object is never awaited.
      then: { required: required(type), properties: { data: dataSchema(EVENT_SHAPES[type]) } },
    })),
  };
}

function required(type: (typeof EVENT_TYPES)[number]): readonly string[] {
  const needsData = Object.values(EVENT_SHAPES[type]).some((shape) => !shape.endsWith("?"));
  return [...(isJournaled(type) ? ["seq"] : []), ...(needsData ? ["data"] : [])];
}

function dataSchema(shape: Readonly<Record<string, FieldShape>>): JsonObject {
  const fields = Object.entries(shape);
  return {
    type: "object",
    required: fields.filter(([, field]) => !field.endsWith("?")).map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, field]): [string, Json] => [name, fieldSchema(field)])),
  };
}

function fieldSchema(field: FieldShape): Json {
  const kind = field.replace("?", "");
  if (kind === "number or null") return { type: ["number", "null"] };
  return kind === "json" ? {} : { type: kind };
}
