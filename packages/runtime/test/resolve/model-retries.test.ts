import { type LanguageModel, type ModelChunk, ModelError, type ModelRequest } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createFakeEnv, type FakeEnv } from "@reprise/testkit";
import { expect, it } from "vitest";
import { resolveAgent } from "../../src/resolve/resolve-agent.ts";
import { builder, failureOf, resolve } from "./support/world.ts";

interface Listening {
  readonly chunks: ModelChunk[];
  /** Settles with the failure, or with undefined. */
  readonly end: Promise<unknown>;
}

function requestOf(signal: AbortSignal): ModelRequest {
  return { system: "", messages: [], tools: [], options: {}, signal };
}

/** Starts to listen, and lets the model come to its first word or failure. */
async function listen(model: LanguageModel, signal: AbortSignal = new AbortController().signal): Promise<Listening> {
  const chunks: ModelChunk[] = [];
  const read = async () => {
    for await (const chunk of model.stream(requestOf(signal))) chunks.push(chunk);
  };
  const end = read().then(
    () => undefined,
    (error: unknown) => error,
  );
  await createFakeEnv().yield();
  return { chunks, end };
}

/** An agent with a retry setting, whose model does as the script says. Chance always says one half: no jitter. */
function retrying(spec: { readonly [field: string]: unknown }, script: Script, random = 0.5) {
  const inner = scriptedModel(script);
  const env: FakeEnv = { ...createFakeEnv(), random: () => random };
  const registries = builder()
    .withAgent({ id: "a", ...spec }, { model: inner })
    .build();
  return { inner, env, model: resolveAgent(registries, "a", { env }).model };
}

const OVERLOADED: Script = () => [{ fail: "overloaded" }];
const withRetries = (retry: object) => ({ sections: { retry } });

it.each([
  ["twice where nothing is said", {}, 2],
  ["once without retries", withRetries({ max_retries: 0 }), 1],
  ["once when one attempt is allowed", { llm_retry_policy: { max_attempts_per_model: 1 } }, 1],
  [
    "once when streams are not begun again",
    { llm_retry_policy: { max_attempts_per_model: 5, retry_stream_start: false } },
    1,
  ],
])("asks %s", async (_, spec, attempts) => {
  const { inner, env, model } = retrying(spec, OVERLOADED);
  const { end } = await listen(model);
  await env.advance(10_000);
  expect(await end).toMatchObject({ kind: "overloaded" });
  expect(inner.requests).toHaveLength(attempts);
});

it("keeps the model's id", () => {
  expect(retrying(withRetries({}), ["hi"]).model.id).toBe("scripted");
});

it("asks again after a failure before the first word, and answers as if nothing had been", async () => {
  const { inner, env, model } = retrying(withRetries({ max_retries: 2 }), [[{ fail: "network" }], "hello"]);
  const { chunks, end } = await listen(model);
  await env.advance(499);
  expect(inner.requests).toHaveLength(1);
  await env.advance(1);
  expect(await end).toBeUndefined();
  expect(chunks).toEqual([
    { type: "text_delta", delta: "hello" },
    { type: "finish", stop_reason: "end_turn" },
  ]);
});

it("waits twice as long each time, up to eight seconds", async () => {
  const { inner, env, model } = retrying(withRetries({ max_retries: 6, backoff_base_ms: 1000 }), () => [
    { fail: "server_error" },
  ]);
  const { end } = await listen(model);
  const times: number[] = [];
  for (let asked = 0; times.length < 7; await env.advance(100)) {
    if (inner.requests.length > asked) times.push(env.clock.mono());
    asked = inner.requests.length;
  }
  expect(times).toEqual([0, 1000, 3000, 7000, 15_000, 23_000, 31_000]);
  expect(await end).toMatchObject({ kind: "server_error" });
});

it("gives an overloaded model more time", async () => {
  const { inner, env, model } = retrying(withRetries({ overloaded_backoff_base_ms: 3000 }), OVERLOADED);
  await listen(model);
  await env.advance(2999);
  expect(inner.requests).toHaveLength(1);
  await env.advance(1);
  expect(inner.requests).toHaveLength(2);
});

it("passes the last failure on when its attempts are used up", async () => {
  const { inner, env, model } = retrying(withRetries({ max_retries: 2, overloaded_backoff_base_ms: 0 }), OVERLOADED);
  const { end } = await listen(model);
  await env.advance(0);
  await env.advance(0);
  expect(await end).toMatchObject({ kind: "overloaded" });
  expect(inner.requests).toHaveLength(3);
});

it.each(["auth", "quota", "invalid_request", "context_length", "content_filter", "cancelled"] as const)(
  "does not ask again after %s",
  async (kind) => {
    const { inner, model } = retrying(withRetries({}), [[{ fail: kind }], "hello"]);
    expect(await (await listen(model)).end).toMatchObject({ kind });
    expect(inner.requests).toHaveLength(1);
  },
);

it("does not ask again once the model has said something", async () => {
  const { inner, model } = retrying(withRetries({}), [[{ text: "hel" }, { fail: "network" }], "hello"]);
  const { chunks, end } = await listen(model);
  expect(await end).toMatchObject({ kind: "network" });
  expect(chunks).toEqual([{ type: "text_delta", delta: "hel" }]);
  expect(inner.requests).toHaveLength(1);
});

it("takes an error that is not the model's for trouble on the way to it", async () => {
  const env = createFakeEnv();
  let asked = 0;
  const broken: LanguageModel = {
    id: "broken",
    stream: () => {
      asked++;
      throw new TypeError("fetch failed");
    },
  };
  const registries = builder().withAgent({ id: "a" }, { model: broken }).build();
  const { end } = await listen(resolveAgent(registries, "a", { env }).model);
  await env.advance(1_000);
  expect(await end).toMatchObject({ kind: "network" });
  expect(asked).toBe(2);
});

function busyFor(retryAfterMs: number): { readonly model: LanguageModel; readonly asked: () => number } {
  let asked = 0;
  const model: LanguageModel = {
    id: "busy",
    // biome-ignore lint/correctness/useYield: it fails before it says anything.
    async *stream() {
      asked++;
      throw new ModelError("rate_limit", "Busy.", { retryAfterMs });
    },
  };
  return { model, asked: () => asked };
}

it("waits as long as the provider asks for", async () => {
  const env = createFakeEnv();
  const { model, asked } = busyFor(9000);
  const registries = builder()
    .withAgent({ id: "a", ...withRetries({ max_retries: 1 }) }, { model })
    .build();
  await listen(resolveAgent(registries, "a", { env }).model);
  await env.advance(8999);
  expect(asked()).toBe(1);
  await env.advance(1);
  expect(asked()).toBe(2);
});

it("does not wait in place when the provider asks for more than ten seconds", async () => {
  const { model, asked } = busyFor(10_001);
  const { end } = await listen(resolve(builder(), withRetries({}), { model }).model);
  expect(await end).toMatchObject({ kind: "rate_limit" });
  expect(asked()).toBe(1);
});

it("begins no attempt after the window of the policy", async () => {
  const policy = { max_attempts_per_model: 9, initial_backoff_ms: 400, max_backoff_ms: 400, max_retry_window_ms: 1000 };
  const { inner, env, model } = retrying({ llm_retry_policy: policy }, OVERLOADED);
  const { end } = await listen(model);
  await env.advance(400);
  await env.advance(400);
  expect(await end).toMatchObject({ kind: "overloaded" });
  expect(inner.requests).toHaveLength(3);
});

it.each([
  [0, 750],
  [1, 1250],
])("shortens or stretches the wait by chance (%d)", async (random, wait) => {
  const policy = { initial_backoff_ms: 1000, backoff_jitter_percent: 25 };
  const { inner, env, model } = retrying({ llm_retry_policy: policy }, OVERLOADED, random);
  await listen(model);
  await env.advance(wait - 1);
  expect(inner.requests).toHaveLength(1);
  await env.advance(1);
  expect(inner.requests).toHaveLength(2);
});

it("ends as cancelled when it is cancelled while it waits", async () => {
  const { inner, env, model } = retrying(withRetries({}), OVERLOADED);
  const controller = new AbortController();
  const { end } = await listen(model, controller.signal);
  await env.advance(10);
  controller.abort();
  expect(await end).toMatchObject({ kind: "cancelled" });
  expect([inner.requests.length, env.clock.sleeping]).toEqual([1, 0]);
});

it("hands the limits of streams on to the loop", () => {
  const retry = { max_retries: 0, max_stream_retries: 5, stream_idle_timeout_secs: 30 };
  expect(resolve(builder(), withRetries(retry)).streamLimits).toEqual({ streamRetries: 5, idleTimeoutMs: 30_000 });
  const policy = { max_stream_event_retries: 4 };
  expect(resolve(builder(), { llm_retry_policy: policy }).streamLimits).toEqual({ streamRetries: 4 });
  expect(resolve(builder())).not.toHaveProperty("streamLimits");
});

it("INVALID_PLUGIN_CONFIG when both settings are there", () => {
  const both = { ...withRetries({ max_retries: 1 }), llm_retry_policy: {} };
  failureOf(() => resolve(builder(), both), "INVALID_PLUGIN_CONFIG", { agent_id: "a", section: "retry" });
});

it.each([
  [{ max_retries: -1 }],
  [{ max_retries: 1.5 }],
  [{ retries: 1 }],
  [[]],
  [3],
  [{ stream_idle_timeout_secs: 0 }],
])("INVALID_PLUGIN_CONFIG for the section %j", (retry) => {
  failureOf(() => resolve(builder(), { sections: { retry } }), "INVALID_PLUGIN_CONFIG", { section: "retry" });
});
