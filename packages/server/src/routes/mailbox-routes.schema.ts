import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { COUNT, listOf, objectOf, oneOf, orNull, PAGE_QUERY, pageOf, TEXT } from "../openapi/schema-words.ts";

export const interrupt: Operation = {
  summary: "Ends the open run of a thread and drops what is queued",
  answers: {
    202: {
      description: "Asked for, durably",
      schema: objectOf({
        status: oneOf("interrupt_requested"),
        thread_id: TEXT,
        generation: COUNT,
        cancelled_run_id: orNull(TEXT),
        superseded_pending_count: COUNT,
        superseded_pending_entry_ids: listOf(TEXT),
      }),
    },
  },
};

const STATUS = oneOf("queued", "claimed", "accepted", "superseded", "cancelled", "dead_letter");

const MISSING = { ...listOf(TEXT), description: "Agents of queued entries that no live process has" };

export const list: Operation = {
  summary: "The mailbox of a thread",
  query: {
    ...PAGE_QUERY,
    status: STATUS,
    origin: { ...oneOf("external", "internal", "none"), default: "external" },
    visibility: { ...oneOf("all", "internal", "none"), default: "all" },
  },
  answers: {
    200: { description: "A page of entries", schema: pageOf(ref("MailboxEntry"), { agents_missing: MISSING }) },
  },
};

export const listAll: Operation = {
  summary: "The queues of all threads: what waits, what is taken, what could not be started",
  query: { ...PAGE_QUERY, status: STATUS, thread_id: TEXT },
  answers: {
    200: {
      description: "A page of entries",
      schema: pageOf(ref("MailboxEntry"), {
        counts: {
          ...objectOf({ queued: COUNT, claimed: COUNT, dead_letter: COUNT }),
          description: "How many entries are open, whatever the filter",
        },
        agents_missing: MISSING,
      }),
    },
  },
};

export const deadLetters: Operation = {
  summary: "What could not be started, on any thread",
  query: { ...PAGE_QUERY, thread_id: TEXT },
  answers: { 200: { description: "A page of entries", schema: pageOf(ref("MailboxEntry")) } },
};

export const requeue: Operation = {
  summary: "Gives a dead letter another chance",
  answers: { 202: { description: "The entry as it is now", schema: ref("MailboxEntry") } },
};
