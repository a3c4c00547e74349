import { type Message, ModelError, type ModelRequest, type ModelSpec } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import { createFakeEnv } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import type { AttemptGate } from "../../src/route/attempt-gate.ts";
import { ModelHealth } from "../../src/route/model-health.ts";
import { ModelRoute } from "../../src/route/model-route.ts";
import { ONE_ATTEMPT, type RouteEntry } from "../../src/route/route-entry.ts";
import { RouteSession } from "../../src/route/route-session.ts";

const SPEC: ModelSpec = {
  id: "m",
  provider: "p",
  model: "m",
  pricing: { input_per_million: 1, output_per_million: 1 },
};

interface Place {
  readonly provider?: string;
  readonly spec?: ModelSpec;
  readonly refreshAuth?: () => Promise<boolean>;
}

function createBench() {
  const env = { ...createFakeEnv(), random: () => 0.5 };
  const health = new ModelHealth(env.clock);
  const entry = (name: string, script: Script, place: Place = {}): RouteEntry & { readonly model: ScriptedModel } => ({
    provider: name,
    modelId: name,
    model: scriptedModel(script, name),
    retry: ONE_ATTEMPT,
    ...place,
  });
  const ask = async (
    entries: readonly RouteEntry[],
    {
      session = new RouteSession("t"),
      messages = [] as readonly Message[],
      signal = new AbortController().signal,
    } = {},
  ) => {
    const route = new ModelRoute({ id: "route", entriesFor: () => entries, brokenStreams: 2, health, env });
    const request: ModelRequest = { system: "", messages, tools: [], options: {}, signal };
    let text = "";
    try {
      for await (const chunk of route.stream({ ...request, session })) {
        if (chunk.type === "text_delta") text += chunk.delta;
      }
      return { text, chain: chainOf(session) };
    } catch (error) {
      return { text, chain: chainOf(session), error: ModelError.is(error) ? error.kind : error };
    }
  };
  return { env, health, entry, ask };
}

function chainOf({ attempts }: RouteSession): readonly string[] {
  return attempts.map(({ model, outcome, error, reason }) => [model, outcome, error ?? reason ?? ""].join(" ").trim());
}

describe("a route of models", () => {
  it("asks the next one when one cannot, and says so", async () => {
    const { entry, ask } = createBench();
    const entries = [entry("a", [[{ fail: "overloaded" }]]), entry("b", [[{ fail: "timeout" }]]), entry("c", ["hi"])];
    expect(await ask(entries)).toEqual({
      text: "hi",
      chain: ["a failed overloaded", "b failed timeout", "c succeeded"],
    });
  });

  it.each(["auth", "quota", "invalid_request", "context_length", "content_filter"] as const)(
    "passes %s on at once: the next one is not asked what would be refused anyway",
    async (kind) => {
      const { entry, ask } = createBench();
      const entries = [entry("a", [[{ fail: kind }]]), entry("b", ["hi"])];
      expect(await ask(entries)).toEqual({ text: "", chain: [`a failed ${kind}`], error: kind });
    },
  );

  it("passes a failure after the first word on: what was heard is shown", async () => {
    const { entry, ask } = createBench();
    const entries = [entry("a", [[{ text: "he" }, { fail: "stream_interrupted" }]]), entry("b", ["hi"])];
    expect(await ask(entries)).toMatchObject({ text: "he", error: "stream_interrupted" });
  });

  it("continues with the next one after two broken streams of one inference", async () => {
    const { entry, ask } = createBench();
    const broken = [{ text: "x" }, { fail: "stream_interrupted" }] as const;
    const entries = [entry("a", [broken, broken, "never"]), entry("b", ["there"])];
    const session = new RouteSession("t");
    await ask(entries, { session });
    await ask(entries, { session });
    expect(await ask(entries, { session })).toMatchObject({ text: "there" });
    expect(chainOf(session).at(-2)).toBe("a skipped its streams broke");
    expect(await ask(entries)).toMatchObject({ text: "never" });
    // Who has nobody to stand in for it is asked again.
    const alone = [entry("c", [broken, broken, "at last"])];
    const again = new RouteSession("t");
    for (const text of ["x", "x", "at last"]) expect(await ask(alone, { session: again })).toMatchObject({ text });
  });

  it("leaves a provider alone that says it is asked too often, for all its models and all requests", async () => {
    const { env, entry, ask } = createBench();
    const entries = [
      entry("a", [[{ fail: "rate_limit" }], "again"], { provider: "p" }),
      entry("a2", ["sister"], { provider: "p" }),
      entry("b", (_, turn) => `b${turn}`),
    ];
    expect((await ask(entries)).chain).toEqual(["a failed rate_limit", "a2 skipped cooling_down", "b succeeded"]);
    await env.advance(29_999);
    expect((await ask(entries)).chain).toEqual(["a skipped cooling_down", "a2 skipped cooling_down", "b succeeded"]);
    await env.advance(1);
    expect(await ask(entries)).toMatchObject({ text: "again" });
  });

  it("does not ask a model that failed five times in a row, then lets one request try it", async () => {
    const { env, entry, ask } = createBench();
    let isWell = false;
    const sick = entry("a", () => (isWell ? "well" : [{ fail: "server_error" }]));
    const entries = [sick, entry("b", () => "b")];
    for (let request = 0; request < 5; request += 1) await ask(entries);
    expect((await ask(entries)).chain).toEqual(["a skipped breaker_open", "b succeeded"]);
    await env.advance(30_000);
    const [first, second] = await Promise.all([ask(entries), ask(entries)]);
    expect([first.chain[0], second.chain[0]]).toEqual(["a failed server_error", "a skipped breaker_open"]);
    expect((await ask(entries)).chain[0]).toBe("a skipped breaker_open");
    await env.advance(30_000);
    isWell = true;
    expect(await ask(entries)).toMatchObject({ text: "well" });
    expect(await ask(entries)).toMatchObject({ text: "well" });
  });

  it("does not count against a model what is the request's fault", async () => {
    const { entry, ask } = createBench();
    const entries = [entry("a", (_, turn) => (turn <= 9 ? [{ fail: "content_filter" }] : "fine"))];
    for (let request = 0; request < 9; request += 1) await ask(entries);
    expect(await ask(entries)).toMatchObject({ text: "fine" });
  });

  it("passes over models that do not take what is asked", async () => {
    const { entry, ask } = createBench();
    const blind = { ...SPEC, modalities: { input: ["text"] } } as const;
    const seeing = { ...SPEC, modalities: { input: ["text", "image", "pdf"] } } as const;
    const entries = [entry("a", ["a"], { spec: blind }), entry("b", ["b"], { spec: seeing }), entry("c", ["c"])];
    const picture = { id: "1", role: "user", content: [{ type: "image", url: "blob:1" }] } as const;
    const film = {
      id: "2",
      role: "user",
      content: [{ type: "file", url: "blob:2", media_type: "video/mp4" }],
    } as const;
    expect(await ask(entries, { messages: [picture] })).toEqual({
      text: "b",
      chain: ["a skipped incapable: image", "b succeeded"],
    });
    expect(await ask(entries, { messages: [film] })).toMatchObject({ text: "c" });
  });

  it("says when nobody can be asked", async () => {
    const { entry, ask } = createBench();
    const entries = [entry("a", [[{ fail: "rate_limit" }]])];
    await ask(entries);
    expect(await ask(entries)).toEqual({ text: "", chain: ["a skipped cooling_down"], error: "rate_limit" });
  });

  it("lets a provider get a new key once", async () => {
    const { entry, ask } = createBench();
    let refreshed = 0;
    const refreshAuth = async () => ++refreshed > 0;
    expect(await ask([entry("a", [[{ fail: "auth" }], "in"], { refreshAuth })])).toMatchObject({ text: "in" });
    expect(await ask([entry("a", () => [{ fail: "auth" }], { refreshAuth })])).toMatchObject({ error: "auth" });
    expect(refreshed).toBe(2);
    const no = async () => false;
    expect(await ask([entry("a", [[{ fail: "auth" }], "in"], { refreshAuth: no })])).toMatchObject({ error: "auth" });
  });

  it("is cancelled before everything else", async () => {
    const { entry, ask } = createBench();
    const controller = new AbortController();
    const entries = [entry("a", [[{ stall: true }]]), entry("b", ["hi"])];
    const asking = ask(entries, { signal: controller.signal });
    controller.abort();
    expect((await asking).chain).toHaveLength(1);
    expect(entries[1]?.model.requests).toHaveLength(0);
  });

  it("asks before each attempt whether it may leave", async () => {
    const { entry, ask } = createBench();
    const asked: string[] = [];
    const ends: unknown[] = [];
    const gate: AttemptGate = {
      open: async ({ model, request }) => {
        asked.push(model);
        if (model === "b") throw new ModelError("quota", "That is enough.");
        return { request, ended: (end) => ends.push(end) };
      },
    };
    const session = new RouteSession("t", { gate });
    const entries = [entry("a", [[{ fail: "overloaded" }]]), entry("b", ["hi"]), entry("c", ["hi"])];
    expect(await ask(entries, { session })).toMatchObject({ error: "quota" });
    expect([asked, entries[1]?.model.requests.length]).toEqual([["a", "b"], 0]);
    expect(ends).toEqual(["refused"]);
  });

  it("counts what each answer cost", async () => {
    const { entry, ask } = createBench();
    const usage = { promptTokens: 10, completionTokens: 5 };
    const session = new RouteSession("t");
    await ask([entry("a", [[{ text: "hi" }, { usage }]], { spec: SPEC })], { session });
    expect(session.attempts).toMatchObject([
      { usage: { prompt_tokens: 10, completion_tokens: 5 }, cost: { microcents: 1_500, priced: true } },
    ]);
  });
});

describe("what a model thought", () => {
  const thought = (provider?: string) =>
    ({ type: "reasoning", text: "hm", encrypted: "sealed", ...(provider && { provider }) }) as const;
  const said = { type: "text", text: "yes" } as const;
  const of = ({ model }: { readonly model: ScriptedModel }) => model.requests.at(-1)?.messages;

  it("stays with the provider it came from", async () => {
    const { entry, ask } = createBench();
    const messages = [{ id: "1", role: "assistant", content: [thought("a"), thought("b"), said] }] as const;
    const [a, b] = [entry("a", [[{ fail: "overloaded" }]]), entry("b", ["hi"])];
    await ask([a, b], { messages });
    expect(of(a)).toEqual([{ id: "1", role: "assistant", content: [thought("a"), said] }]);
    expect(of(b)).toEqual([{ id: "1", role: "assistant", content: [thought("b"), said] }]);
  });

  it("belongs to nobody once the provider has changed, when it does not say whose it is", async () => {
    const { entry, ask } = createBench();
    const only = { id: "1", role: "assistant", content: [thought()] } as const;
    const both = { id: "2", role: "assistant", content: [thought(), said] } as const;
    const [a, b] = [entry("a", [[{ fail: "overloaded" }], "back"]), entry("b", ["hi"])];
    const session = new RouteSession("t");
    await ask([a, b], { messages: [only, both], session });
    expect(of(a)).toEqual([only, both]);
    expect(of(b)).toEqual([{ ...both, content: [said] }]);
    // Also when the first one is asked again later: between its own thoughts there are others' words.
    await ask([a], { messages: [only, both], session });
    expect(of(a)).toEqual([{ ...both, content: [said] }]);
  });
});
