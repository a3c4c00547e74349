import { providerShape } from "../config/config-shape.ts";
import { agentEntry, modelEntry } from "../config/entry-shapes.ts";
import type { ConfigKind } from "../config/live/stored-entries.ts";
import type { JsonSchema, Operation } from "../openapi/operation.ts";
import { COUNT, FLAG, listOf, OBJECT, objectOf, oneOf, TEXT, TIME } from "../openapi/schema-words.ts";

const PROBLEMS: JsonSchema = listOf(objectOf({ path: TEXT, message: TEXT }));
const SHOWN = { id: TEXT, source: oneOf("file", "stored"), revision: COUNT, body: OBJECT };
const ENTRY: JsonSchema = objectOf(SHOWN, { problems: PROBLEMS });
const IF_MATCH = { "if-match": { ...TEXT, description: "The ETag that was seen; another one now is a 409" } };
const REFUSED = {
  description: "Nothing was changed; every problem",
  schema: objectOf({ error: TEXT, problems: PROBLEMS }),
};

/** What is stored under an id. An agent need not repeat its own. */
const BODIES: Readonly<Record<ConfigKind, JsonSchema>> = {
  agents: { ...agentEntry.schema, required: [] },
  models: modelEntry.schema,
  providers: providerShape.schema,
};

export const show: Operation = {
  summary: "The whole configuration, without secrets",
  answers: {
    200: {
      description: "What counts, and what is stored and does not",
      schema: objectOf({
        revision: COUNT,
        config: OBJECT,
        left_out: listOf(objectOf({ kind: TEXT, ...SHOWN }, { problems: PROBLEMS })),
      }),
    },
  },
};

export const describe: Operation = {
  summary: "The JSON Schema of the configuration",
  answers: { 200: { description: "Draft 2020-12", schema: OBJECT, contentType: "application/schema+json" } },
};

export const validate: Operation = {
  summary: "Says what is wrong with a draft of a whole configuration; stores nothing",
  body: { schema: OBJECT },
  answers: { 200: { description: "Every problem", schema: objectOf({ valid: FLAG, problems: PROBLEMS }) } },
};

export const list = (kind: ConfigKind): Operation => ({
  summary: `The ${kind} of the configuration, without secrets`,
  answers: { 200: { description: "All of them", schema: objectOf({ items: listOf(ENTRY) }) } },
});

export const get = (kind: ConfigKind): Operation => ({
  summary: `One of the ${kind} of the configuration, without secrets`,
  answers: { 200: { description: "The entry; its revision is the ETag", schema: ENTRY } },
});

export const history = (kind: ConfigKind): Operation => ({
  summary: `The last changes of one of the ${kind}, newest first, without secrets`,
  answers: {
    200: {
      description: "Up to 20 changes",
      schema: objectOf({
        items: listOf(
          objectOf(
            { action: oneOf("stored", "deleted"), revision: COUNT, at: TIME },
            { by: { ...TEXT, description: "The credential that made it" }, body: OBJECT },
          ),
        ),
      }),
    },
  },
});

export const put = (kind: ConfigKind): Operation => ({
  summary: `Stores one of the ${kind}; it counts from the next run on`,
  headers: IF_MATCH,
  body: { schema: BODIES[kind] },
  answers: { 200: { description: "The entry; its revision is the ETag", schema: ENTRY }, 422: REFUSED },
});

export const remove = (kind: ConfigKind): Operation => ({
  summary: `Takes one of the ${kind} away; that of the file, if there is one, counts again`,
  headers: IF_MATCH,
  answers: { 204: { description: "It is gone" }, 422: REFUSED },
});
