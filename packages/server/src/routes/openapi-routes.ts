import type { Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import type { Operation } from "../openapi/operation.ts";
import { OBJECT } from "../openapi/schema-words.ts";

const document: Operation = {
  summary: "This document",
  answers: { 200: { description: "OpenAPI 3.1", schema: OBJECT } },
};

/** All routes as an OpenAPI document, written when it is asked for the first time. */
export function openApiRoutes(describe: () => object): readonly Route[] {
  let described: object | undefined;
  return [
    {
      method: "GET",
      path: "/openapi.json",
      scope: "read",
      operation: document,
      handle(exchange) {
        described ??= describe();
        return answer(exchange, 200, described);
      },
    },
  ];
}
