import type { Operation } from "../openapi/operation.ts";
import { COUNT, OBJECT } from "../openapi/schema-words.ts";

export const run: Operation = {
  summary: "A finished run as one JSON value, for a replay elsewhere",
  answers: { 200: { description: "The recording", schema: OBJECT } },
};

export const thread: Operation = {
  summary: "A thread with all its changesets, one JSON value a line",
  query: { after: { ...COUNT, default: 0, description: "Leaves out what came up to this version" } },
  answers: {
    200: {
      description: "A line for the thread, one for every changeset, and one that says that it is whole",
      contentType: "application/x-ndjson",
    },
  },
};
