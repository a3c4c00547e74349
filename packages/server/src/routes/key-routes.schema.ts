import type { Operation } from "../openapi/operation.ts";
import { bodyOf, listOf, objectOf, oneOf, TEXT, TIME } from "../openapi/schema-words.ts";
import { SCOPES } from "../security/principal.ts";

const SCOPE_LIST = { ...listOf(oneOf(...SCOPES)), minItems: 1 };
const KEPT = { id: TEXT, name: TEXT, prefix: TEXT, scopes: SCOPE_LIST, created_at: TIME };

export const list: Operation = {
  summary: "The API keys of the tenant, without the keys themselves",
  answers: {
    200: { description: "All keys", schema: objectOf({ items: listOf(objectOf(KEPT, { expires_at: TIME })) }) },
  },
};

export const create: Operation = {
  summary: "Makes an API key; it is shown this once",
  body: { schema: bodyOf({ name: TEXT, scopes: SCOPE_LIST }, { expiresAt: TIME, expires_at: TIME }) },
  answers: { 201: { description: "The key", schema: objectOf({ key: TEXT, ...KEPT }, { expires_at: TIME }) } },
};

export const revoke: Operation = {
  summary: "Takes an API key back; it opens nothing from now on",
  answers: { 204: { description: "It is gone" } },
};
