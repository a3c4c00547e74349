import type { Operation } from "../openapi/operation.ts";
import { FLAG, TEXT } from "../openapi/schema-words.ts";

export const CHILDREN_PARAMETER = {
  enum: ["events", "progress"],
  description: "Brings the runs below too: all of their events, or only how they stand",
} as const;

export const events: Operation = {
  summary: "The events of a run, from any point",
  query: {
    after: { ...TEXT, description: "The id of the last event that was read; for who cannot send Last-Event-ID" },
    format: {
      enum: ["events", "facts"],
      default: "events",
      description: "`facts` for the encoding of docs/reference/facts.md",
    },
    children: CHILDREN_PARAMETER,
    follow: { ...FLAG, description: "Stays while the run waits for decisions" },
  },
  headers: { "last-event-id": TEXT },
  answers: {
    200: { description: "The events", contentType: "text/event-stream" },
    204: { description: "The run is done and everything was read" },
  },
};
