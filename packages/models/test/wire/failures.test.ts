import { inspect } from "node:util";
import { ModelError, type ModelErrorKind } from "@reprise/contracts";
import type { ScriptStep } from "@reprise/models";
import { type ModelServer, type RawAnswer, type ServerTurn, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, describe, expect, it } from "vitest";
import { ADAPTERS, type Adapter, CANARY } from "../support/adapters.ts";
import { type Answer, ask, chunksOf, textOf, toolOf } from "../support/ask.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(turn: ServerTurn): Promise<string> {
  server = await startModelServer(() => turn);
  return server.url;
}

/** Repeats the key it was sent, as some providers do. */
const ECHO = `You sent ${CANARY}, as Bearer ${CANARY}.`;
const HTML = { headers: { "content-type": "text/html" }, body: `<html><body>Bad gateway. ${ECHO}</body></html>` };

const json = (status: number, code: string, headers: Record<string, string> = {}): RawAnswer => ({
  status,
  headers: { "x-request-id": "request-7", ...headers },
  body: { type: "error", error: { code, type: code, status: code, message: ECHO } },
});

type Failure = readonly [title: string, answer: RawAnswer, kind: ModelErrorKind, retryAfterMs?: number];

const FAILURES: readonly Failure[] = [
  ["401", json(401, "invalid_api_key", { "x-request-id": CANARY }), "auth"],
  ["402", json(402, "payment_required"), "quota"],
  ["403", json(403, "permission_error"), "auth"],
  ["404", json(404, "model_not_found"), "invalid_request"],
  ["408", json(408, "timeout_error"), "timeout"],
  ["413 for the context", json(413, "context_length_exceeded"), "context_length"],
  ["413 for another reason", json(413, "payload_strange"), "invalid_request"],
  ["400 for the context", json(400, "context_length_exceeded"), "context_length"],
  ["400 for a filter", json(400, "content_filter"), "content_filter"],
  ["422", json(422, "unprocessable"), "invalid_request"],
  ["429 with seconds", json(429, "rate_limit_exceeded", { "retry-after": "7" }), "rate_limit", 7000],
  ["429 with milliseconds", json(429, "strange", { "retry-after-ms": "250", "retry-after": "9" }), "rate_limit", 250],
  [
    "429 with a date",
    json(429, "strange", { "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT", date: "Sun, 15 Nov 2026 10:00:00 GMT" }),
    "rate_limit",
    30_000,
  ],
  ["429 for a quota", json(429, "insufficient_quota"), "quota"],
  ["500", json(500, "api_error"), "server_error"],
  ["502 as a page", { status: 502, ...HTML }, "server_error"],
  ["503", json(503, "strange", { "retry-after": "1" }), "overloaded", 1000],
  ["503 as a page", { status: 503, ...HTML }, "overloaded"],
  ["529", json(529, "overloaded_error"), "overloaded"],
  ["an empty 500", { status: 500, body: "" }, "server_error"],
];

/** What only answers that our own code judges can be told apart by. */
const GUARDED_FAILURES: readonly Failure[] = [
  ["a page with status 200", HTML, "malformed_response"],
  ["JSON that is no answer", { body: { hello: "there" } }, "malformed_response"],
  ["an error with status 200", { body: { error: { code: "insufficient_quota", message: ECHO } } }, "quota"],
  ["an error with a number, with status 200", { body: { error: { code: 429, message: ECHO } } }, "rate_limit"],
  ["a redirect", { status: 307, headers: { location: "http://127.0.0.1:9/elsewhere" } }, "invalid_request"],
];

/** Nothing an error says, however it is looked at, has the key in it. */
function expectNoSecret({ error, chunks }: Answer): void {
  const shown = [
    inspect(error, { depth: 10, showHidden: true }),
    JSON.stringify(error),
    String(error),
    JSON.stringify(chunks),
  ];
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    shown.push(at.message, at.stack ?? "", JSON.stringify({ ...at }));
  expect(shown.filter((text) => text.includes(CANARY))).toEqual([]);
}

function expectFailure(answer: Answer, kind: ModelErrorKind): ModelError {
  expectNoSecret(answer);
  expect(answer.error).toBeInstanceOf(ModelError);
  const { error } = answer;
  if (!ModelError.is(error)) throw new Error("It is no ModelError.");
  expect({ kind: error.kind, message: error.message }).toMatchObject({ kind });
  return error;
}

const TOOLS = [toolOf("add"), toolOf("look_up")];
const LOOK: readonly ScriptStep[] = [{ call: "add", arguments: { first: true } }];

describe.each(ADAPTERS)("$name", ({ open, isGuarded, protocol }: Adapter) => {
  const failures = isGuarded ? [...FAILURES, ...GUARDED_FAILURES] : FAILURES;
  it.each(failures.map((failure) => ({ title: failure[0], failure })))("knows $title", async ({ failure }) => {
    const [, turn, kind, retryAfterMs] = failure;
    const error = expectFailure(await ask(open(await serve(turn))), kind);
    expect(error.retryAfterMs).toBe(retryAfterMs);
    expect(error.status).toBe(turn.status ?? 200);
    expect(server?.requests).toHaveLength(1);
  });

  it("gives up on an answer that never begins as soon as it is told to", async () => {
    const controller = new AbortController();
    const asked = ask(open(await serve({ silent: true })), { signal: controller.signal });
    await until(() => server?.requests.length === 1);
    controller.abort();
    expectFailure(await asked, "cancelled");
    expect(await server?.requests[0]?.isAnswered).toBe(false);
  });

  it("gives up on an answer that stops in the middle as soon as it is told to", async () => {
    const controller = new AbortController();
    const model = open(await serve([{ text: "Well" }, { stall: true }]));
    const heard: string[] = [];
    const asked = (async () => {
      for await (const chunk of model.stream({ ...EMPTY, signal: controller.signal })) {
        if (chunk.type === "text_delta") {
          heard.push(chunk.delta);
          controller.abort();
        }
      }
    })();
    await expect(asked).rejects.toMatchObject({ kind: "cancelled" });
    expect(heard).toEqual(["Well"]);
    expect(await server?.requests[0]?.isAnswered).toBe(false);
  });

  it("does not ask at all when it is told to stop before", async () => {
    const url = await serve("Hello.");
    expectFailure(await ask(open(url), { signal: AbortSignal.abort() }), "cancelled");
    expect(server?.requests).toEqual([]);
  });

  it("passes on what came before a cut in the text", async () => {
    const answer = await ask(open(await serve([{ text: ["Once ", "upon"] }, { cut: true }])));
    expectFailure(answer, "stream_interrupted");
    expect(textOf(answer)).toBe("Once upon");
    expect(chunksOf(answer, "finish")).toEqual([]);
  });

  it("knows a cut right after the headers", async () => {
    const answer = await ask(open(await serve({ steps: [{ text: "Never" }], cutAfterBytes: 1 })));
    expectFailure(answer, "stream_interrupted");
  });

  it.each(["reset", "end"] as const)(
    "keeps the calls that were whole before a cut by %s, and drops the one that was not",
    async (cutBy) => {
      const steps: readonly ScriptStep[] = [...LOOK, { unfinishedCall: "look_up", raw: '{"city":"Par' }, { cut: true }];
      const answer = await ask(open(await serve({ steps, cutBy })), { tools: TOOLS });
      expectFailure(answer, "stream_interrupted");
      expect(chunksOf(answer, "tool_call_ready").map(({ name }) => name)).toEqual(["add"]);
    },
  );

  it.each(["reset", "end"] as const)("keeps the last call before a cut by %s when it was whole", async (cutBy) => {
    const answer = await ask(open(await serve({ steps: [...LOOK, { cut: true }], cutBy })), { tools: TOOLS });
    expectFailure(answer, "stream_interrupted");
    expect(chunksOf(answer, "tool_call_ready").map(({ name }) => name)).toEqual(["add"]);
  });

  // Bedrock's and Google's streams say it in their own ways.
  const code = {
    chat: "rate_limit",
    responses: "rate_limit",
    anthropic: "overloaded",
    google: undefined,
    bedrock: undefined,
  }[protocol];
  it("knows an error that comes in the middle of an answer", async () => {
    const said = code === undefined ? "server_error" : code === "overloaded" ? "overloaded" : "rate_limit";
    const answer = await ask(open(await serve([{ text: "Well" }, { fail: said }])));
    const error = expectFailure(answer, protocol === "bedrock" ? "stream_interrupted" : said);
    expect(error.isRetryable).toBe(true);
    expect(textOf(answer)).toBe("Well");
  });

  it("knows a server that is not there", async () => {
    const url = await serve("Hello.");
    await server?.close();
    server = undefined;
    expectFailure(await ask(open(url)), "network");
  });
});

const EMPTY = { system: "", messages: [{ id: "m", role: "user", content: "?" }], tools: [], options: {} } as const;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
