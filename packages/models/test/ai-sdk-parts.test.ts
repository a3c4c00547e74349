import { type AiSdkModel, fromAiSdk, type SpecVersion } from "@reprise/models";
import { describe, expect, it, vi } from "vitest";
import { ask, requestOf, toolOf } from "./support/ask.ts";

/** A model of a version whose stream is what it is given. */
function modelOf(parts: readonly unknown[], version: SpecVersion = "v4", provider: string = "maker.chat"): AiSdkModel {
  return {
    specificationVersion: version,
    provider,
    modelId: "m",
    supportedUrls: {},
    doStream: async () => ({ stream: streamOf(parts) }),
  };
}

function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

const USAGE = { inputTokens: { total: 9 }, outputTokens: { total: 3 } };
const finish = (unified: string, raw?: string, usage: object = USAGE) => ({
  type: "finish",
  finishReason: { unified, raw },
  usage,
});
const finish2 = (finishReason: string, usage: object, providerMetadata?: object) => ({
  type: "finish",
  finishReason,
  usage,
  ...(providerMetadata !== undefined && { providerMetadata }),
});

describe("how an answer ended", () => {
  it.each([
    ["v4", finish("stop", "stop"), "end_turn"],
    ["v4", finish("stop", "stop_sequence"), "stop_sequence"],
    ["v3", finish("length", "length"), "max_tokens"],
    ["v3", finish("tool-calls", "tool_calls"), "end_turn"],
    ["v4", finish("other", "eos"), "end_turn"],
    ["v2", finish2("stop", { inputTokens: 1, outputTokens: 2 }), "end_turn"],
    ["v2", finish2("length", {}), "max_tokens"],
    // A package that does not say why, but what it took.
    ["v2", finish2("unknown", { outputTokens: 2 }), "end_turn"],
    ["v3", finish("other"), "end_turn"],
  ] as const)("%s %j", async (version, part, stop_reason) => {
    const answer = await ask(fromAiSdk(modelOf([part], version)));
    expect(answer.chunks.at(-1)).toMatchObject({ type: "finish", stop_reason });
  });

  it.each([
    ["v4", "maker", finish("interrupted"), "stream_interrupted"],
    ["v3", "anthropic.messages", finish("other"), "stream_interrupted"],
    ["v2", "openai.chat", finish2("unknown", { outputTokens: 2 }), "stream_interrupted"],
    ["v2", "maker", finish2("unknown", {}), "stream_interrupted"],
    ["v4", "maker", finish("content-filter", "SAFETY"), "content_filter"],
    ["v3", "maker", finish("error", "oops"), "server_error"],
  ] as const)("%s of %s: %j is an error", async (version, provider, part, kind) => {
    expect((await ask(fromAiSdk(modelOf([part], version, provider)))).error).toMatchObject({ kind });
  });

  it("without a word is a break", async () => {
    expect((await ask(fromAiSdk(modelOf([])))).error).toMatchObject({ kind: "stream_interrupted" });
  });
});

describe("what an answer took", () => {
  const full = {
    inputTokens: { total: 100, noCache: 10, cacheRead: 60, cacheWrite: 30 },
    outputTokens: { total: 20, text: 15, reasoning: 5 },
  };
  it.each(["v3", "v4"] as const)("%s, broken down", async (version) => {
    const answer = await ask(fromAiSdk(modelOf([finish("stop", "stop", full)], version)));
    expect(answer.chunks.at(-1)).toMatchObject({
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        cache_read_tokens: 60,
        cache_creation_tokens: 30,
        thinking_tokens: 5,
      },
    });
  });

  it("v2, where a cached part is in the prompt", async () => {
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120, reasoningTokens: 5, cachedInputTokens: 60 };
    const answer = await ask(fromAiSdk(modelOf([finish2("stop", usage)], "v2")));
    const expected = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      cache_read_tokens: 60,
      thinking_tokens: 5,
    };
    expect(answer.chunks.at(-1)).toEqual({ type: "finish", stop_reason: "end_turn", usage: expected });
  });

  it("v2 of Anthropic, where it is not", async () => {
    const usage = { inputTokens: 10, outputTokens: 20, totalTokens: 30, cachedInputTokens: 60 };
    const metadata = { anthropic: { cacheCreationInputTokens: 30 } };
    const answer = await ask(fromAiSdk(modelOf([finish2("stop", usage, metadata)], "v2", "anthropic.messages")));
    expect(answer.chunks.at(-1)).toMatchObject({
      usage: { prompt_tokens: 100, total_tokens: 120, cache_read_tokens: 60, cache_creation_tokens: 30 },
    });
  });

  it("nothing, when the provider does not count", async () => {
    const unknown = { inputTokens: { total: undefined }, outputTokens: { total: undefined } };
    const answer = await ask(fromAiSdk(modelOf([finish("stop", "stop", unknown)])));
    expect(answer.chunks).toEqual([{ type: "finish", stop_reason: "end_turn" }]);
  });
});

it("knows which answer it was, and of which model", async () => {
  const answer = await ask(
    fromAiSdk(modelOf([{ type: "response-metadata", id: "r1", modelId: "m-2026" }, finish("stop", "stop")])),
  );
  expect(answer.chunks.at(-1)).toMatchObject({ response: { id: "r1", model: "m-2026" } });
});

it("leaves calls that the provider runs itself to the provider", async () => {
  const answer = await ask(
    fromAiSdk(
      modelOf([
        { type: "stream-start", warnings: [] },
        { type: "tool-input-start", id: "w", toolName: "web_search", providerExecuted: true },
        { type: "tool-input-delta", id: "w", delta: "{}" },
        { type: "tool-call", toolCallId: "w", toolName: "web_search", input: "{}", providerExecuted: true },
        { type: "tool-result", toolCallId: "w", toolName: "web_search", result: {} },
        { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "Found." },
        { type: "text-end", id: "t" },
        finish("stop", "stop"),
      ]),
    ),
  );
  expect(answer.chunks.map(({ type }) => type)).toEqual(["text_delta", "finish"]);
});

it("tells calls with the same id apart, and makes ids where there are none", async () => {
  const call = (toolCallId: string, input: string) => ({ type: "tool-call", toolCallId, toolName: "add", input });
  const answer = await ask(
    fromAiSdk(modelOf([call("x", '{"n":1}'), call("x", '{"n":2}'), call("", "{}"), finish("tool-calls", "t")])),
    {
      tools: [toolOf("add")],
    },
  );
  const ready = answer.chunks.flatMap((chunk) =>
    chunk.type === "tool_call_ready" ? [[chunk.id, chunk.arguments]] : [],
  );
  expect(ready).toEqual([
    ["x", '{"n":1}'],
    ["x_2", '{"n":2}'],
    ["call_3", "{}"],
  ]);
});

it("gives the files a model made: their bytes, or where they lie", async () => {
  const pixel = "AAEC";
  const parts = [
    { type: "file", mediaType: "image/png", data: pixel },
    { type: "file", mediaType: "image/png", data: new Uint8Array([0, 1, 2]) },
    { type: "file", mediaType: "image/png", data: { type: "data", data: pixel } },
    { type: "file", mediaType: "video/mp4", data: { type: "url", url: new URL("https://example.com/a.mp4") } },
    finish("stop", "stop"),
  ];
  const inline = { type: "file", url: "data:image/png;base64,AAEC", media_type: "image/png" };
  const answer = await ask(fromAiSdk(modelOf(parts)));
  expect(answer.chunks.slice(0, -1)).toEqual([
    inline,
    inline,
    inline,
    { type: "file", url: "https://example.com/a.mp4", media_type: "video/mp4" },
  ]);
});

it.each([
  ["AI_UnsupportedFunctionalityError", "invalid_request"],
  ["AI_InvalidPromptError", "invalid_request"],
  ["AI_LoadAPIKeyError", "auth"],
  ["AI_TypeValidationError", "malformed_response"],
  ["SomethingElse", "network"],
])("knows what a package threw before it asked: %s", async (name, kind) => {
  const thrown = Object.assign(new Error("about sk-canary-Zq81kd73hf9qPd02"), { name });
  const model = { ...modelOf([]), doStream: () => Promise.reject(thrown) };
  const { error } = await ask(fromAiSdk(model));
  expect(error).toMatchObject({ kind });
  expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toContain("canary");
});

it("takes keys it was told about out of what a provider says, however short", async () => {
  const model = {
    ...modelOf([]),
    doStream: () => Promise.reject(Object.assign(new Error("not hunter2!"), { name: "AI_InvalidPromptError" })),
  };
  const { error } = await ask(fromAiSdk(model, { secrets: ["hunter2"] }));
  expect(error).toMatchObject({ cause: { message: "not [redacted]!" } });
});

it("refuses an unknown version", () => {
  const model = { ...modelOf([]), specificationVersion: "v9" as SpecVersion };
  expect(() => fromAiSdk(model)).toThrow("known are v2, v3 and v4");
});

it("refuses an option it does not know before anybody is asked", async () => {
  const doStream = vi.fn();
  const { error } = await ask(fromAiSdk({ ...modelOf([]), doStream }), { options: { temprature: 1 } });
  expect(error).toMatchObject({ kind: "invalid_request", message: expect.stringContaining('"temprature"') });
  expect(doStream).not.toHaveBeenCalled();
});

it("does not hold back what came in one go", async () => {
  const parts = [
    { type: "text-delta", id: "t", delta: "A" },
    { type: "text-delta", id: "t", delta: "B" },
    finish("stop", "stop"),
  ];
  const heard: string[] = [];
  for await (const chunk of fromAiSdk(modelOf(parts)).stream(requestOf())) heard.push(chunk.type);
  expect(heard).toEqual(["text_delta", "text_delta", "finish"]);
});
