import { ModelError } from "@reprise/contracts";
import { expect, it } from "vitest";
import { kindOf } from "./error-kind.ts";
import { failureInStream, failureOf } from "./failed-answer.ts";
import { readProblem } from "./problem.ts";
import { headersOf } from "./read-header.ts";
import { readRetryAfter } from "./retry-after.ts";
import { thrownFailure } from "./thrown-failure.ts";

const SPEAKER = { model: "m", redact: (text: string) => text };

it.each([
  [429, ["insufficient_quota"], "quota"],
  [429, [], "rate_limit"],
  [400, ["invalid_request_error"], "invalid_request"],
  [500, ["invalid_request_error"], "server_error"],
  [413, ["request_too_large"], "context_length"],
  [413, [], "invalid_request"],
  [400, ["API_KEY_INVALID", "INVALID_ARGUMENT"], "auth"],
  [400, ["ServiceQuotaExceededException"], "quota"],
  [401, ["unheard_of"], "auth"],
  [402, [], "quota"],
  [403, [], "auth"],
  [404, [], "invalid_request"],
  [408, [], "timeout"],
  [409, [], "invalid_request"],
  [504, [], "server_error"],
  [503, [], "overloaded"],
  [529, [], "overloaded"],
  [599, [], "server_error"],
  [undefined, ["429"], "rate_limit"],
  [undefined, ["invalid_request_error"], "invalid_request"],
  [undefined, [], "server_error"],
  [200, ["constructor"], "server_error"],
] as const)("%s with %j is %s", (status, words, kind) => {
  expect(kindOf(status, words)).toBe(kind);
});

it.each([
  [{ error: { code: "a", type: "b", message: "c" } }, { words: ["a", "b"], message: "c" }],
  [
    { type: "error", error: { type: "overloaded_error", message: "c" } },
    { words: ["overloaded_error"], message: "c" },
  ],
  [{ error: "just text" }, { words: [], message: "just text" }],
  [
    { object: "error", message: "c", type: "BadRequestError", code: 400 },
    { words: ["400", "BadRequestError"], message: "c" },
  ],
  [
    { __type: "com.amazon#ThrottlingException:http://x", Message: "c" },
    { words: ["ThrottlingException"], message: "c" },
  ],
  [
    { message: "c", type: "throttlingException" },
    { words: ["ThrottlingException"], message: "c" },
  ],
  [
    { type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "c" } } },
    { words: ["rate_limit_exceeded"], message: "c" },
  ],
  [
    { error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ reason: "R" }, { retryDelay: "34.5s" }] } },
    { words: ["R", "429", "RESOURCE_EXHAUSTED"], retryAfterMs: 34_500 },
  ],
  [{ choices: [] }, undefined],
  [{ message: "no error" }, undefined],
  [null, undefined],
  [[], undefined],
])("reads %j", (body, problem) => {
  expect(readProblem(body)).toEqual(problem);
});

it.each([
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after-ms": "1500" }, 1500],
  [{ "Retry-After": " 3 " }, 3000],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:20 GMT" }, 10_000],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }, 0],
  [{ "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT", date: "Thu, 01 Jan 1970 00:00:50 GMT" }, 10_000],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-4" }, undefined],
  [{}, undefined],
])("%j asks to wait %s ms", (headers, wait) => {
  expect(readRetryAfter(headersOf(headers), 10_000)).toBe(wait);
});

it("never takes what a provider wrote freely into the message", () => {
  const body = JSON.stringify({ error: { code: "free text with spaces", message: "SECRET" } });
  const error = failureOf(SPEAKER, { status: 400, header: () => undefined, body });
  expect(error.message).toBe("Model m: it refused the request (400).");
  expect(error.code).toBeUndefined();
  expect(error.cause).toMatchObject({ message: "SECRET" });
});

it("is silent about an event that holds no error", () => {
  expect(failureInStream(SPEAKER, { choices: [] })).toBeUndefined();
});

const { signal } = new AbortController();
const withCode = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) });

it.each([
  ["ECONNREFUSED", false, "network"],
  ["UND_ERR_CONNECT_TIMEOUT", false, "timeout"],
  ["UND_ERR_HEADERS_TIMEOUT", false, "timeout"],
  ["UND_ERR_BODY_TIMEOUT", true, "timeout"],
  ["UND_ERR_SOCKET", true, "stream_interrupted"],
  ["UND_ERR_SOCKET", false, "network"],
  ["ECONNRESET", true, "stream_interrupted"],
])("%s, with an answer: %s, is %s", (code, hasAnswer, kind) => {
  expect(thrownFailure(SPEAKER, withCode(code), hasAnswer, signal)).toMatchObject({ kind, code });
});

it("finds the code where every address of a host failed", () => {
  const each = ["ENETUNREACH", "ECONNREFUSED"].map((code) => Object.assign(new Error("x"), { code }));
  const thrown = new TypeError("fetch failed", { cause: new AggregateError(each) });
  expect(thrownFailure(SPEAKER, thrown, false, signal)).toMatchObject({ kind: "network", code: "ENETUNREACH" });
});

it("keeps an error of ours, and knows a call that was called off", () => {
  const own = new ModelError("quota", "x");
  expect(thrownFailure(SPEAKER, own, false, signal)).toBe(own);
  expect(thrownFailure(SPEAKER, new Error("x"), true, AbortSignal.abort())).toMatchObject({ kind: "cancelled" });
  expect(thrownFailure(SPEAKER, "text", true, signal)).toMatchObject({ kind: "stream_interrupted" });
});
