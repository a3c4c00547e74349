import { inspect } from "node:util";
import { type MediaRequest, ModelError } from "@reprise/contracts";
import { environmentProviders, openaiCompatible } from "@reprise/models";
import { createEgress } from "@reprise/node";
import { type ServerScript, type ServerTurn, startModelServer } from "@reprise/testkit/model-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { CANARY } from "../support/adapters.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");
const AS_DATA = { file: `data:image/png;base64,${PNG.toString("base64")}`, mediaType: "image/png" };

const requestOf = (fields: Partial<MediaRequest> = {}): MediaRequest => ({
  prompt: "A fox.",
  modality: "image",
  options: {},
  signal: new AbortController().signal,
  download: createEgress().download,
  ...fields,
});

/** A server that does as it is told, and the model that is asked there. */
async function open(script: ServerScript) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const provider = openaiCompatible({ id: "local", baseUrl: `${server.url}/v1`, apiKey: CANARY });
  return { server, model: provider.media("painter") };
}

async function failureOf(script: ServerScript, request: Partial<MediaRequest> = {}): Promise<ModelError> {
  const { model } = await open(script);
  const error: unknown = await model.generate(requestOf(request)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!ModelError.is(error)) throw new Error(`no ModelError: ${inspect(error)}`);
  expect(inspect(error, { depth: 10 })).not.toContain(CANARY);
  return error;
}

describe("a picture", () => {
  it("comes in the answer, with settings passed on as they are", async () => {
    const { server, model } = await open([[AS_DATA]]);
    const made = await model.generate(requestOf({ options: { size: "1024x1024", quality: "low" } }));
    expect(made).toEqual({ content: new Uint8Array(PNG), media_type: "image/png", units: 1 });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/images/generations",
      headers: { authorization: `Bearer ${CANARY}` },
      body: { model: "painter", prompt: "A fox.", n: 1, size: "1024x1024", quality: "low" },
    });
  });

  it("or lies at an address, and is got from there without the key", async () => {
    const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]);
    const { server, model } = await open((request) =>
      request.method === "GET"
        ? { body: jpeg, headers: { "content-type": "image/jpeg" } }
        : [{ file: `http://${request.headers.host}/files/a.jpg?signature=1`, mediaType: "image/jpeg" }],
    );
    expect(await model.generate(requestOf())).toEqual({ content: jpeg, media_type: "image/jpeg", units: 1 });
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/images/generations", "/files/a.jpg?signature=1"]);
    expect(server.requests[1]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ["image/webp", { data: [{ b64_json: "AAAA" }], output_format: "webp" }],
    ["image/png", { data: [{ b64_json: "AAAA" }] }],
    ["image/gif", { data: [{ url: "data:image/gif;base64,R0lGODlh" }] }],
  ])("is taken for what it is, or what its server says: %s", async (mediaType, body) => {
    const { model } = await open([{ body }]);
    expect(await model.generate(requestOf())).toMatchObject({ media_type: mediaType, units: 1 });
  });

  it("is made by OpenAI's models by their names, wherever the environment says", async () => {
    const { server } = await open([[AS_DATA]]);
    const named = (variables: Record<string, string>) =>
      environmentProviders(variables)
        .find(({ id }) => id === "openai")
        ?.media?.("gpt-image-1");
    const made = await named({ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: CANARY })?.generate(requestOf());
    expect(made?.units).toBe(1);
    expect(() => named({})).toThrow(expect.objectContaining({ code: "PROVIDER_NOT_READY" }));
  });
});

describe("a failure has its kind, and no key", () => {
  const error = (status: number, code: string, headers: Record<string, string> = {}): ServerTurn => ({
    status,
    headers,
    body: { error: { code, message: `Key ${CANARY} is not welcome.` } },
  });

  it.each<readonly [string, ServerTurn]>([
    ["auth", error(401, "invalid_api_key")],
    ["quota", error(402, "billing_hard_limit_reached")],
    ["rate_limit", error(429, "rate_limit_exceeded")],
    ["content_filter", error(400, "moderation_blocked")],
    ["invalid_request", error(400, "invalid_value")],
    ["invalid_request", { status: 302, headers: { location: "http://127.0.0.1:1/" } }],
    ["server_error", error(500, "server_error")],
    ["overloaded", { status: 503, headers: { "content-type": "text/html" }, body: "<html>busy</html>" }],
    ["server_error", { status: 200, body: { error: { code: "server_error", message: "no" } } }],
    ["malformed_response", { body: "<html>hello</html>" }],
    ["malformed_response", { body: { data: [] } }],
    ["malformed_response", { body: { data: [{ b64_json: "%%%" }] } }],
    ["malformed_response", { body: { data: [{ url: "file:///etc/passwd" }] } }],
    ["malformed_response", { body: { data: [{ b64_json: "AAAA" }, {}] } }],
    ["stream_interrupted", { body: '{"data":', ending: "cut" }],
  ])("%s: %j", async (kind, turn) => {
    expect(await failureOf([turn])).toMatchObject({ kind });
  });

  it("rate_limit with the time to wait", async () => {
    expect(await failureOf([error(429, "rate_limit_exceeded", { "retry-after": "7" })])).toMatchObject({
      retryAfterMs: 7000,
    });
  });

  it.each([
    [404, "malformed_response"],
    [502, "server_error"],
    [302, "malformed_response"],
  ])("a picture that is not where it should be: %i", async (status, kind) => {
    const failure = await failureOf((request) =>
      request.method === "GET"
        ? { status, headers: { location: "http://127.0.0.1:1/" } }
        : [{ file: `http://${request.headers.host}/files/a.png?signature=secret`, mediaType: "image/png" }],
    );
    expect(failure).toMatchObject({ kind, status });
    expect(inspect(failure, { depth: 10 })).not.toContain("signature");
  });

  it("network, when nobody is there", async () => {
    const model = openaiCompatible({ id: "local", baseUrl: "http://127.0.0.1:1/v1" }).media("painter");
    await expect(model.generate(requestOf())).rejects.toMatchObject({ kind: "network" });
  });

  it("cancelled, while it waits for its answer, and while it gets the picture", async () => {
    for (const turns of [
      [{ silent: true }],
      [[{ file: "/files/a.png", mediaType: "image/png" }], { silent: true }],
    ] as const) {
      const controller = new AbortController();
      const { model, server } = await open((request, turn) => {
        if (turn === turns.length) setImmediate(() => controller.abort());
        const said: ServerTurn = turns[turn - 1] ?? { silent: true };
        return Array.isArray(said)
          ? [{ file: `http://${request.headers.host}/files/a.png`, mediaType: "image/png" }]
          : said;
      });
      await expect(model.generate(requestOf({ signal: controller.signal }))).rejects.toMatchObject({
        kind: "cancelled",
      });
      expect(server.requests).toHaveLength(turns.length);
    }
  });
});

it.each([
  [{ modality: "audio" }, /makes images, and audio was asked for/],
  [{ options: { n: 2 } }, /one picture is made at a time/],
] as const)("what it cannot do is refused before it is asked: %j", async (fields, message) => {
  const { model, server } = await open([]);
  await expect(model.generate(requestOf(fields))).rejects.toMatchObject({
    kind: "invalid_request",
    message: expect.stringMatching(message),
  });
  expect(server.requests).toEqual([]);
});
