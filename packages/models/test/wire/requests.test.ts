import type { Message, ModelRequest } from "@reprise/contracts";
import type { ScriptStep } from "@reprise/models";
import { type ModelServer, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, describe, expect, it } from "vitest";
import { ADAPTERS } from "../support/adapters.ts";
import { type Answer, ask, toolOf } from "../support/ask.ts";
import { remember, resultOf } from "../support/remember.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

const USER: Message = { id: "u1", role: "user", content: "What is the weather?" };
const LOOK = toolOf("look_up", { type: "object", properties: { city: { type: "string" } }, required: ["city"] });
const THINKING: readonly ScriptStep[] = [
  { reasoning: "First I look." },
  { text: "Let me look." },
  { reasoning: "Then again." },
  { call: "look_up", arguments: { city: "Paris" }, id: "call_a" },
  { call: "look_up", arguments: { city: "Rome" }, id: "call_b" },
];

/** Asks twice: a round of calls, then with its results. Returns what the server got. */
async function converse(
  name: string,
  fields: Partial<ModelRequest> = {},
): Promise<readonly [body: unknown, second: unknown, answer: Answer]> {
  const adapter = ADAPTERS.find((each) => each.name === name);
  if (adapter === undefined) throw new Error(`There is no adapter ${name}.`);
  server = await startModelServer([THINKING, "Sunny."]);
  const model = adapter.open(server.url);
  const first = await ask(model, { messages: [USER], tools: [LOOK], ...fields });
  const messages = [USER, remember(first), resultOf(0, "sunny"), resultOf(1, "no such city", "s1", "error")];
  const second = await ask(model, { messages, tools: [LOOK], ...fields });
  expect([first.error, second.error]).toEqual([undefined, undefined]);
  const [asked, again] = server.requests.map(({ body }) => body);
  return [asked, again, first];
}

describe("what a provider thought goes back to it as it was", () => {
  it("Anthropic: thoughts with their signatures, in their order, before the calls", async () => {
    const [, body] = await converse("anthropic v4");
    expect(body).toMatchObject({
      system: [{ type: "text", text: "Be kind." }],
      tools: [{ name: "look_up", description: "Does look_up.", input_schema: LOOK.parameters }],
      messages: [
        { role: "user", content: [{ type: "text", text: "What is the weather?" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "First I look.", signature: "signature 0" },
            { type: "text", text: "Let me look." },
            { type: "thinking", thinking: "Then again.", signature: "signature 2" },
            { type: "tool_use", id: "call_a", name: "look_up", input: { city: "Paris" } },
            { type: "tool_use", id: "call_b", name: "look_up", input: { city: "Rome" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_a", content: "sunny" },
            { type: "tool_result", tool_use_id: "call_b", content: "no such city", is_error: true },
          ],
        },
      ],
    });
  });

  it.each(["openai v3, responses", "openai v4, responses"])(
    "%s: encrypted, and nothing stays with the provider",
    async (name) => {
      const [first, body] = await converse(name);
      expect(first).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
      expect(JSON.stringify(body)).not.toContain("item_reference");
      expect(body).toMatchObject({
        input: [
          { role: expect.stringMatching(/system|developer/), content: "Be kind." },
          { role: "user" },
          { type: "reasoning", encrypted_content: "encrypted 0", summary: [{ text: "First I look." }] },
          { role: "assistant" },
          { type: "reasoning", encrypted_content: "encrypted 2", summary: [{ text: "Then again." }] },
          { type: "function_call", call_id: "call_a", arguments: '{"city":"Paris"}' },
          { type: "function_call", call_id: "call_b" },
          { type: "function_call_output", call_id: "call_a", output: "sunny" },
          { type: "function_call_output", call_id: "call_b", output: expect.stringContaining("no such city") },
        ],
      });
    },
  );

  it("Google: calls with the signatures of the thoughts behind them", async () => {
    const [, body] = await converse("google v4");
    const parts = (body as { contents: { role: string; parts: object[] }[] }).contents.flatMap(
      (content) => content.parts,
    );
    const called = parts.filter((part) => "functionCall" in part);
    expect(called).toHaveLength(2);
    expect(called[0]).toMatchObject({
      functionCall: { name: "look_up", args: { city: "Paris" } },
      thoughtSignature: "signature of a thought",
    });
    expect(parts.filter((part) => "functionResponse" in part)).toHaveLength(2);
  });

  it("Bedrock: thoughts with their signatures", async () => {
    const [, body] = await converse("bedrock v4");
    expect(JSON.stringify(body)).toContain('"reasoningText":{"text":"First I look.","signature":"signature 0"}');
  });

  it("DeepSeek: thoughts as text, while the round continues", async () => {
    const [, body] = await converse("deepseek v4");
    expect(JSON.stringify(body)).toContain('"reasoning_content":"First I look.Then again."');
  });

  it("and to no other", async () => {
    const [, , answer] = await converse("anthropic v4");
    for (const name of ["openai v4, responses", "google v4", "bedrock v4", "deepseek v4", "openaiCompatible"]) {
      await server?.close();
      server = await startModelServer(() => "Fine.");
      const adapter = ADAPTERS.find((each) => each.name === name);
      const messages = [USER, remember(answer), resultOf(0, "sunny"), resultOf(1, "rain")];
      const asked =
        adapter === undefined ? undefined : await ask(adapter.open(server.url), { messages, tools: [LOOK] });
      expect(asked?.error).toBeUndefined();
      const sent = JSON.stringify(server.requests[0]?.body);
      expect(sent).toContain("Let me look.");
      expect(sent).toContain("sunny");
      expect(sent).not.toMatch(/First I look|signature 0/);
    }
  });

  it("not when the message was changed since", async () => {
    const [, , answer] = await converse("anthropic v4");
    await server?.close();
    server = await startModelServer(() => "Fine.");
    const said = remember(answer);
    const changed = {
      ...said,
      content: [
        ...(said.content as Exclude<Message["content"], string>),
        { type: "text", text: " And more." } as const,
      ],
    };
    const adapter = ADAPTERS.find(({ name }) => name === "anthropic v4");
    await ask(adapter?.open(server.url) ?? expect.fail(), {
      messages: [USER, changed, resultOf(0, "a"), resultOf(1, "b")],
      tools: [LOOK],
    });
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).not.toContain("signature");
    expect(sent).toContain("Let me look. And more.");
  });
});

describe("the beginning of a request is marked for the cache", () => {
  it("for Anthropic, with the time it is to be kept", async () => {
    const [body, second] = await converse("anthropic v4", { options: { prompt_cache: { ttl: "1h" } } });
    const mark = { type: "ephemeral", ttl: "1h" };
    expect(body).toMatchObject({
      system: [{ cache_control: mark }],
      messages: [{ content: [{ cache_control: mark }] }],
    });
    expect(JSON.stringify(second).match(/cache_control/g)).toHaveLength(2);
  });

  it("for Bedrock", async () => {
    const [body] = await converse("bedrock v4", { options: { prompt_cache: true } });
    expect(JSON.stringify(body).match(/cachePoint/g)).toHaveLength(2);
  });

  it("for OpenAI by a key", async () => {
    const [responses] = await converse("openai v4, responses", { options: { prompt_cache: { key: "thread-1" } } });
    expect(responses).toMatchObject({ prompt_cache_key: "thread-1" });
    await server?.close();
    const [own] = await converse("openaiCompatible", { options: { prompt_cache: { key: "thread-1" } } });
    expect(own).toMatchObject({ prompt_cache_key: "thread-1" });
  });

  it.each(["anthropic v4", "bedrock v4", "openaiCompatible"])("not for %s unless it is asked for", async (name) => {
    const [body] = await converse(name, { options: { prompt_cache: false } });
    expect(JSON.stringify(body)).not.toMatch(/cache/);
  });
});

describe("the shape of an answer is asked for in the provider's words", () => {
  const output_schema = {
    name: "weather",
    schema: { type: "object", properties: { sky: { type: "string" } }, required: ["sky"], additionalProperties: false },
  };

  it.each([
    ["openaiCompatible", { response_format: { type: "json_schema", json_schema: { name: "weather", strict: true } } }],
    ["openai v2, chat", { response_format: { type: "json_schema", json_schema: { name: "weather" } } }],
    ["openai v4, chat", { response_format: { type: "json_schema", json_schema: { name: "weather" } } }],
    ["openai v4, responses", { text: { format: { type: "json_schema", name: "weather" } } }],
    ["anthropic v4", { output_config: { format: { type: "json_schema" } } }],
    ["google v4", { generationConfig: { responseMimeType: "application/json" } }],
    ["deepseek v4", { response_format: { type: "json_object" } }],
  ])("%s", async (name, expected) => {
    // Google's older models take a shape or tools, not both.
    const [body] = await converse(name, { output_schema, ...(name === "google v4" && { tools: [] }) });
    expect(body).toMatchObject(expected);
    expect(JSON.stringify(body)).toContain("sky");
  });
});

describe("settings reach the provider in its own words", () => {
  const options = { temperature: 0.5, max_tokens: 99, top_p: 0.9, stop_sequences: ["END"] };

  it.each([
    ["openaiCompatible", { temperature: 0.5, max_tokens: 99, top_p: 0.9, stop: ["END"] }],
    ["openai v2, chat", { temperature: 0.5, max_tokens: 99, top_p: 0.9, stop: ["END"] }],
    ["openai v3, chat", { temperature: 0.5, max_tokens: 99, top_p: 0.9, stop: ["END"] }],
    ["openai v4, chat", { temperature: 0.5, max_tokens: 99, top_p: 0.9, stop: ["END"] }],
    ["google v4", { generationConfig: { temperature: 0.5, maxOutputTokens: 99, topP: 0.9, stopSequences: ["END"] } }],
    ["bedrock v4", { inferenceConfig: { temperature: 0.5, maxTokens: 99, topP: 0.9, stopSequences: ["END"] } }],
  ])("%s", async (name, expected) => {
    const [body] = await converse(name, { options });
    expect(body).toMatchObject(expected);
  });

  it.each([
    ["openaiCompatible", "high", { reasoning_effort: "high" }],
    ["openai v2, responses", "high", { reasoning: { effort: "high" } }],
    ["openai v3, responses", "low", { reasoning: { effort: "low" } }],
    ["openai v4, responses", "high", { reasoning: { effort: "high" } }],
    ["anthropic v4", { budget: 2048 }, { thinking: { type: "enabled", budget_tokens: 2048 } }],
    ["google v4", { budget: 512 }, { generationConfig: { thinkingConfig: { thinkingBudget: 512 } } }],
  ])("%s thinks as much as it is told: %j", async (name, reasoning_effort, expected) => {
    const [body] = await converse(name, { options: { reasoning_effort } });
    expect(body).toMatchObject(expected);
  });

  it.each([
    [
      "openaiCompatible",
      { tool_choice: { type: "function", function: { name: "look_up" } }, parallel_tool_calls: false },
    ],
    ["openai v4, responses", { tool_choice: { type: "function", name: "look_up" }, parallel_tool_calls: false }],
    ["anthropic v4", { tool_choice: { type: "tool", name: "look_up", disable_parallel_tool_use: true } }],
  ])("%s calls the tool it has to, and one at a time", async (name, expected) => {
    const [body] = await converse(name, { options: { tool_choice: { tool: "look_up" }, parallel_tool_calls: false } });
    expect(body).toMatchObject(expected);
  });

  it("what only a provider or a server knows is passed on", async () => {
    const [own] = await converse("openaiCompatible", { options: { extra: { guided_choice: ["a"] } } });
    expect(own).toMatchObject({ guided_choice: ["a"] });
    await server?.close();
    const [responses] = await converse("openai v4, responses", {
      options: { provider_options: { openai: { store: true, user: "u" } } },
    });
    expect(responses).toMatchObject({ store: true, user: "u" });
  });

  it("names models of TensorZero as it does", async () => {
    await converse("tensorzero/agent_chat by the environment");
    expect(server?.requests[0]).toMatchObject({
      path: "/openai/v1/chat/completions",
      body: { model: "tensorzero::function_name::agent_chat" },
    });
  });
});
