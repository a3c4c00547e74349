import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import {
  COUNT,
  FLAG,
  listOf,
  OBJECT,
  objectOf,
  oneOf,
  orNull,
  PAGE_QUERY,
  pageOf,
  TEXT,
  TIME,
} from "../openapi/schema-words.ts";

const LIST_QUERY = { ...PAGE_QUERY, resource_id: TEXT, parent_thread_id: TEXT };

const SUMMARY = objectOf(
  {
    thread_id: TEXT,
    title: TEXT,
    version: COUNT,
    created_at: TIME,
    updated_at: TIME,
    run_count: COUNT,
    last_run: orNull(objectOf({ run_id: TEXT, agent_id: TEXT, status: TEXT, origin: TEXT })),
  },
  { resource_id: TEXT, parent_thread_id: TEXT },
);

export const list: Operation = {
  summary: "Threads, newest first",
  query: LIST_QUERY,
  answers: { 200: { description: "A page of threads", schema: pageOf(ref("Thread")) } },
};

export const summaries: Operation = {
  summary: "Threads with what they are about and what happened last",
  query: LIST_QUERY,
  answers: { 200: { description: "A page of summaries", schema: pageOf(SUMMARY) } },
};

export const get: Operation = {
  summary: "A thread with its state and its newest messages",
  answers: {
    200: {
      description: "The thread. `has_more` says whether there are older messages",
      schema: objectOf(
        {
          id: TEXT,
          thread_id: TEXT,
          metadata: OBJECT,
          version: COUNT,
          created_at: TIME,
          updated_at: TIME,
          state: OBJECT,
          messages: listOf(ref("Message")),
          has_more: FLAG,
        },
        { resource_id: TEXT, parent_thread_id: TEXT },
      ),
    },
  },
};

export const messages: Operation = {
  summary: "The messages of a thread",
  query: {
    after: COUNT,
    before: COUNT,
    limit: PAGE_QUERY.limit ?? COUNT,
    order: oneOf("asc", "desc"),
    visibility: oneOf("all", "internal", "none", "any"),
    run_id: TEXT,
    include_superseded: FLAG,
  },
  answers: {
    200: {
      description: "A page of messages",
      schema: objectOf(
        { messages: listOf(ref("Message")), has_more: FLAG },
        { next_cursor: COUNT, prev_cursor: COUNT },
      ),
    },
  },
};

export const updateMetadata: Operation = {
  summary: "Replaces keys of a thread's metadata",
  body: { schema: OBJECT },
  answers: { 200: { description: "The thread as it is now", schema: ref("Thread") } },
};

export const remove: Operation = {
  summary: "Deletes a thread with everything that happened on it",
  answers: { 204: { description: "It is gone" } },
};
