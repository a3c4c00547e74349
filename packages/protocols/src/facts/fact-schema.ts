import type { Json, JsonObject } from "@reprise/state";
import { FACT_TYPES, FACTS, type FactField, type FactShape } from "./fact-types.ts";

/** The version of the encoding. A new type or an optional field does not change it. */
export const FACTS_VERSION = "reprise-facts-1";

/** JSON Schema (2020-12) of one fact. */
export function factSchema(): JsonObject {
  const id = { type: "string", minLength: 1 };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Fact",
    type: "object",
    required: [
      "type",
      "eventId",
      "timestamp",
      "schemaVersion",
      "runtimeId",
      "sessionId",
      "threadId",
      "turnId",
      "runId",
      "sequence",
      "payload",
    ],
    properties: {
      type: { enum: FACT_TYPES },
      eventId: id,
      timestamp: { type: "string", format: "date-time" },
      schemaVersion: { const: FACTS_VERSION },
      runtimeId: id,
      sessionId: id,
      threadId: id,
      turnId: id,
      runId: id,
      stepId: id,
      toolCallId: id,
      actionId: id,
      artifactId: id,
      sequence: { type: "integer", minimum: 0 },
      payload: { type: "object" },
    },
    unevaluatedProperties: false,
    allOf: FACT_TYPES.map((type) => {
      const { ids, payload } = FACTS[type];
      return {
        if: { properties: { type: { const: type } }, required: ["type"] },
        // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema, and this object is never awaited.
        then: { required: ids, properties: { payload: payloadSchema(payload) } },
      };
    }),
  };
}

function payloadSchema(payload: FactShape["payload"]): JsonObject {
  const fields = Object.entries(payload);
  return {
    type: "object",
    additionalProperties: false,
    required: fields.filter(([, field]) => !field.endsWith("?")).map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, field]): [string, Json] => [name, fieldSchema(field)])),
  };
}

function fieldSchema(field: FactField): Json {
  const kind = field.replace("?", "");
  return kind === "any" ? {} : { type: kind };
}
