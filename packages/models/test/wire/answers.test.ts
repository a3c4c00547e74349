import type { ScriptStep } from "@reprise/models";
import { type ModelServer, type ServerTurn, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, describe, expect, it } from "vitest";
import { ADAPTERS } from "../support/adapters.ts";
import { ask, chunksOf, requestOf, textOf, toolOf } from "../support/ask.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(turn: ServerTurn): Promise<string> {
  server = await startModelServer(() => turn);
  return server.url;
}

const TOOLS = [toolOf("add"), toolOf("look_up")];

describe.each(ADAPTERS)("$name", ({ name, open, protocol }) => {
  it("streams text piece by piece, and says how it ended and what it took", async () => {
    const usage = { promptTokens: 100, completionTokens: 20, cacheReadTokens: 60 };
    const answer = await ask(open(await serve([{ text: ["Good ", "morning", ", 🌍."] }, { usage }])));
    expect(answer.error).toBeUndefined();
    expect(chunksOf(answer, "text_delta").map(({ delta }) => delta)).toEqual(["Good ", "morning", ", 🌍."]);
    const [finish] = chunksOf(answer, "finish");
    expect(answer.chunks.at(-1)).toBe(finish);
    expect(finish).toMatchObject({ stop_reason: "end_turn", usage: { prompt_tokens: 100, completion_tokens: 20 } });
    if (protocol !== "bedrock") expect(finish?.usage).toMatchObject({ cache_read_tokens: 60 });
  });

  it("hears thoughts apart from the answer", async () => {
    const steps: readonly ScriptStep[] = [
      { reasoning: "They greet me." },
      { text: "Hello." },
      { usage: { promptTokens: 10, completionTokens: 9, thinkingTokens: 4 } },
    ];
    const answer = await ask(open(await serve(steps)));
    expect(textOf(answer)).toBe("Hello.");
    const thought = chunksOf(answer, "reasoning_delta").map(({ delta }) => delta);
    // OpenAI's own chat completions have no thoughts to hear.
    const hears = !/^openai v\d, chat$/.test(name);
    expect(thought.join("")).toBe(hears ? "They greet me." : "");
    const counted = chunksOf(answer, "finish")[0]?.usage?.thinking_tokens;
    if (protocol === "chat" || protocol === "responses" || protocol === "google") expect(counted).toBe(4);
  });

  it("hears calls that come together, each with its own arguments", async () => {
    const answer = await ask(
      open(
        await serve([
          { text: "Let me see." },
          { call: "add", arguments: { left: 1, right: { deep: ["ü", 2] } } },
          { call: "look_up", arguments: { city: "Paris" } },
        ]),
      ),
      { tools: TOOLS },
    );
    expect(answer.error).toBeUndefined();
    const ready = chunksOf(answer, "tool_call_ready");
    expect(ready.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ["add", { left: 1, right: { deep: ["ü", 2] } }],
      ["look_up", { city: "Paris" }],
    ]);
    expect(new Set(ready.map(({ id }) => id)).size).toBe(2);
    expect(chunksOf(answer, "tool_call_start").map(({ id, name }) => [id, name])).toEqual(
      ready.map(({ id, name }) => [id, name]),
    );
    for (const { id, arguments: text } of ready) {
      const pieces = chunksOf(answer, "tool_call_delta").filter((chunk) => chunk.id === id);
      expect(pieces.map(({ args_delta }) => args_delta).join("")).toBe(text);
    }
    expect(answer.chunks.at(-1)).toMatchObject({ type: "finish", stop_reason: "tool_use" });
  });

  it("says when the model ran out of room", async () => {
    const answer = await ask(open(await serve([{ text: "Once upon" }, { stop: "max_tokens" }])));
    expect(answer.chunks.at(-1)).toMatchObject({ type: "finish", stop_reason: "max_tokens" });
  });

  // Google's models write arguments as JSON, not as text that holds JSON.
  const writesText = protocol !== "google";
  if (writesText)
    it("keeps arguments as the model wrote them, however wrong", async () => {
      const texts = ['{"a":1,"a":2}', '{"broken":', "[1,2]", '"text"'];
      const answer = await ask(open(await serve(texts.map((raw, index) => ({ call: "add", raw, id: `c${index}` })))), {
        tools: TOOLS,
      });
      expect(answer.error).toBeUndefined();
      const ready = chunksOf(answer, "tool_call_ready");
      const byId = new Map(ready.map((call) => [call.id, call.arguments]));
      expect(texts.map((_, index) => byId.get(`c${index}`))).toEqual(texts);
    });

  it("hears an answer whose bytes come one by one", async () => {
    const steps: readonly ScriptStep[] = [{ text: "Grüße 🌍" }, { call: "add", arguments: { text: "é" } }];
    const answer = await ask(open(await serve({ steps, pieceBytes: 1 })), { tools: TOOLS });
    expect(answer.error).toBeUndefined();
    expect(textOf(answer)).toBe("Grüße 🌍");
    expect(chunksOf(answer, "tool_call_ready").map((call) => JSON.parse(call.arguments))).toEqual([{ text: "é" }]);
  });

  it("ends the request once the reader is gone", async () => {
    const model = open(await serve([{ text: ["One", "Two"] }, { stall: true }]));
    for await (const chunk of model.stream(requestOf())) {
      if (chunk.type === "text_delta") break;
    }
    expect(await server?.requests[0]?.isAnswered).toBe(false);
  });
});
