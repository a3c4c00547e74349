import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import {
  ANYTHING,
  bodyOf,
  COUNT,
  FLAG,
  listOf,
  OBJECT,
  objectOf,
  oneOf,
  orNull,
  PAGE_QUERY,
  TEXT,
  TIME,
} from "../openapi/schema-words.ts";

const CHANGE = objectOf(
  {
    version: COUNT,
    changeset_id: TEXT,
    run_id: orNull(TEXT),
    reasons: listOf(TEXT),
    message_ids: listOf(TEXT),
    supersedes: listOf(TEXT),
    patches: listOf(OBJECT),
    actions: listOf(OBJECT),
    calls: listOf(
      objectOf({ call_id: TEXT, run_id: TEXT, tool_id: TEXT, status: TEXT, arguments: ANYTHING, updated_at: TIME }),
    ),
  },
  {
    timestamp_ms: TIME,
    run: objectOf({
      status: oneOf("running", "waiting", "done"),
      steps: COUNT,
      last_seq: COUNT,
      input_tokens: COUNT,
      output_tokens: COUNT,
      cost_microcents: COUNT,
    }),
  },
);

export const state: Operation = {
  summary: "The state of a thread, now or at a version",
  query: { version: COUNT },
  answers: {
    200: { description: "The state", schema: objectOf({ thread_id: TEXT, version: COUNT, state: ANYTHING }) },
  },
};

export const history: Operation = {
  summary: "What each version of a thread changed",
  query: { after: COUNT, limit: PAGE_QUERY.limit ?? COUNT },
  answers: {
    200: {
      description: "A page of versions",
      schema: objectOf({ thread_id: TEXT, items: listOf(CHANGE), has_more: FLAG }),
    },
  },
};

export const fork: Operation = {
  summary: "A new thread that begins where this one is, or was",
  body: {
    schema: bodyOf({}, { version: COUNT, at: COUNT, threadId: TEXT, thread_id: TEXT }),
    isOptional: true,
  },
  answers: { 201: { description: "The new thread", schema: ref("Thread") } },
};
