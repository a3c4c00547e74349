import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { COUNT, FLAG, listOf, objectOf, oneOf, PAGE_QUERY, pageOf, TEXT } from "../openapi/schema-words.ts";
import { NEW_CASE_BODY } from "../wire/new-case-body.ts";

const { limit } = PAGE_QUERY;

export const saveCase: Operation = {
  summary: "A finished run as a case of an evaluation, without what is private",
  body: { schema: NEW_CASE_BODY.schema, isOptional: true },
  answers: { 200: { description: "The case, to be kept as a file; nothing is stored", schema: ref("EvalCase") } },
};

export const list: Operation = {
  summary: "The experiments that were kept, newest first",
  query: {
    after: { ...TEXT, description: "The `next` of the page before" },
    ...(limit !== undefined && { limit }),
  },
  answers: {
    200: {
      description: "A page of experiments, without their cases",
      schema: objectOf({ items: listOf(ref("Experiment")), has_more: FLAG }, { next: TEXT }),
    },
  },
};

export const get: Operation = {
  summary: "An experiment, without its cases",
  answers: { 200: { description: "The experiment", schema: ref("Experiment") } },
};

export const cases: Operation = {
  summary: "What the cases of an experiment came to, in its order",
  query: PAGE_QUERY,
  answers: { 200: { description: "A page of results", schema: pageOf(ref("EvalResult")) } },
};

const CHANGES = ["worse", "removed", "better", "added", "same"] as const;

export const compare: Operation = {
  summary: "Compares an experiment with a later one, case by case",
  query: { with: { ...TEXT, description: "The id of the later experiment" }, ...PAGE_QUERY },
  answers: {
    200: {
      description: "A page of cases, those that became worse first",
      schema: pageOf(
        objectOf({ id: TEXT, change: oneOf(...CHANGES) }, { before: ref("EvalOutcome"), after: ref("EvalOutcome") }),
        {
          before: ref("Experiment"),
          after: ref("Experiment"),
          totals: objectOf(Object.fromEntries(CHANGES.map((change) => [change, COUNT]))),
        },
      ),
    },
  },
};

export const remove: Operation = {
  summary: "Deletes an experiment with its cases",
  answers: { 204: { description: "It is gone" } },
};
