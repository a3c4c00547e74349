import type { Operation } from "../openapi/operation.ts";
import { listOf, objectOf, oneOf, TEXT } from "../openapi/schema-words.ts";

export const health: Operation = {
  summary: "Whether the process lives",
  answers: {
    200: {
      description: "It does",
      schema: objectOf({ status: oneOf("ok"), durability: { ...TEXT, description: "What the store survives" } }),
    },
  },
};

export const ready: Operation = {
  summary: "Whether it can work: the store is read from and written to",
  answers: {
    200: {
      description: "It can",
      schema: objectOf({
        status: oneOf("ready"),
        agents_missing: { ...listOf(TEXT), description: "Agents whose work waits because no live process has them" },
      }),
    },
  },
};

export const metrics: Operation = {
  summary: "What was counted, for Prometheus",
  answers: { 200: { description: "Counters", contentType: "text/plain" } },
};
