import type { Operation } from "../openapi/operation.ts";
import { COUNT, objectOf, TEXT } from "../openapi/schema-words.ts";

const STORED = objectOf({ id: TEXT, ref: TEXT, bytes: COUNT, media_type: TEXT, sha256: TEXT, url: TEXT });

export const upload: Operation = {
  summary: "Stores a file",
  body: { contentType: "*/*" },
  answers: { 201: { description: "Stored; the same bytes are the same blob", schema: STORED } },
};

export const download: Operation = {
  summary: "Reads a file, or a part of it",
  headers: { range: TEXT, "if-none-match": TEXT, "if-range": TEXT },
  answers: {
    200: { description: "All of it", contentType: "*/*" },
    206: { description: "The wanted range", contentType: "*/*" },
    302: { description: "It is in an object store; `location` reads it there for a while" },
    304: { description: "The client has it" },
  },
};
