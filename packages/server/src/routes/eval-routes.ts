import type { Evaluations, ListedExperiment } from "../evals/evaluations.ts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { answerList, answerPage } from "../http/answer-list.ts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import { NEW_CASE_BODY } from "../wire/new-case-body.ts";
import { readExactly } from "../wire/read-shaped.ts";
import * as schema from "./eval-routes.schema.ts";

/** Runs as cases of evaluations, and what evaluations came to. */
export const evalRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/runs/:id/case",
    // Less than its export, which readers get: nothing is changed and nothing kept.
    scope: "read",
    operation: schema.saveCase,
    // Sent again it makes the same again. A case may be too long to be kept as an answer.
    knowsRepeats: true,
    async handle(exchange) {
      const evals = evalsIn(exchange);
      const wanted = readExactly(await exchange.body.optionalJson(), NEW_CASE_BODY);
      const made = await evals.saveCase(await exchange.runtime.exportRun(pathPart(exchange, "id")), wanted);
      return answer(exchange, 200, made);
    },
  },
  {
    method: "GET",
    path: "/v1/experiments",
    scope: "read",
    operation: schema.list,
    async handle(exchange) {
      const evals = evalsIn(exchange);
      const query = new Query(exchange.context.req.url);
      const { documents } = exchange.runtime;
      const begin = query.text("after");
      return answerList<ListedExperiment>(exchange, {
        name: "items",
        limit: query.page().limit,
        async read({ last }, limit) {
          const after = last === undefined ? begin : evals.cursorOf(last);
          const { items, next } = await evals.listExperiments(documents, {
            limit,
            ...(after !== undefined && { after }),
          });
          return { items, has_more: next !== undefined };
        },
        tail: ({ last, has_more }) => ({ has_more, ...(has_more && last && { next: evals.cursorOf(last) }) }),
      });
    },
  },
  {
    method: "GET",
    path: "/v1/experiments/:id",
    scope: "read",
    operation: schema.get,
    async handle(exchange) {
      const evals = evalsIn(exchange);
      return answer(exchange, 200, await evals.loadExperiment(exchange.runtime.documents, pathPart(exchange, "id")));
    },
  },
  {
    method: "GET",
    path: "/v1/experiments/:id/cases",
    scope: "read",
    operation: schema.cases,
    async handle(exchange) {
      const evals = evalsIn(exchange);
      const { documents } = exchange.runtime;
      const id = pathPart(exchange, "id");
      const { case_count: total } = await evals.loadExperiment(documents, id);
      const read = async (offset: number, limit: number) => {
        const items = await evals.listCases(documents, id, { offset, limit });
        return { items, total, has_more: items.length > 0 && offset + items.length < total };
      };
      return answerPage(exchange, new Query(exchange.context.req.url).page(), read);
    },
  },
  {
    method: "GET",
    path: "/v1/experiments/:id/compare",
    scope: "read",
    operation: schema.compare,
    async handle(exchange) {
      const evals = evalsIn(exchange);
      const query = new Query(exchange.context.req.url);
      const other = query.text("with");
      if (other === undefined) throw badRequest("with is the id of another experiment");
      const id = pathPart(exchange, "id");
      const { cases, ...head } = await evals.compareExperiments(exchange.runtime.documents, id, other);
      const total = cases.length;
      const read = async (offset: number, limit: number) => {
        const items = cases.slice(offset, offset + limit);
        return { items, total, has_more: offset + items.length < total };
      };
      return answerPage(exchange, query.page(), read, undefined, () => head);
    },
  },
  {
    method: "DELETE",
    path: "/v1/experiments/:id",
    scope: "admin",
    operation: schema.remove,
    async handle(exchange) {
      await evalsIn(exchange).deleteExperiment(exchange.runtime.documents, pathPart(exchange, "id"));
      return new Response(null, { status: 204, headers: exchange.headers });
    },
  },
];

function evalsIn({ host }: HttpExchange): Evaluations {
  if (host.evals === undefined) throw new HttpRefusal(404, "not found: evaluations are not enabled");
  return host.evals;
}
