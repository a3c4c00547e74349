import { ModelError } from "@reprise/contracts";
import { openaiCompatible } from "@reprise/models";
import { type ModelServer, type ServerTurn, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, describe, expect, it } from "vitest";
import { type Answer, ask, chunksOf, textOf, toolOf } from "../support/ask.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

async function askFor(turn: ServerTurn): Promise<Answer> {
  server = await startModelServer(() => turn);
  const model = openaiCompatible({ id: "local", baseUrl: `${server.url}/v1/` }).model("test");
  return ask(model, { tools: [toolOf("add"), toolOf("look")] });
}

const delta = (fields: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
});
const calls = (...tool_calls: readonly object[]) => delta({ tool_calls });
const end = delta({}, "tool_calls");

/** Calls as they came out: id, name and arguments. */
function readyOf(answer: Answer): readonly (readonly string[])[] {
  return chunksOf(answer, "tool_call_ready").map(({ id, name, arguments: text }) => [id, name, text]);
}

describe("calls", () => {
  it("without ids get ones that follow from their place, the same every time", async () => {
    const events = [
      calls(
        { index: 0, function: { name: "add", arguments: '{"a":' } },
        { index: 1, function: { name: "look", arguments: "{}" } },
      ),
      calls({ index: 0, function: { arguments: "1}" } }),
      end,
      "[DONE]",
    ];
    const expected = [
      ["call_1", "add", '{"a":1}'],
      ["call_2", "look", "{}"],
    ];
    expect(readyOf(await askFor({ events }))).toEqual(expected);
    await server?.close();
    expect(readyOf(await askFor({ events }))).toEqual(expected);
  });

  it("with the same id are told apart", async () => {
    const answer = await askFor({
      events: [
        calls({ index: 0, id: "x", function: { name: "add", arguments: '{"n":1}' } }),
        calls({ index: 1, id: "x", function: { name: "add", arguments: '{"n":2}' } }),
        calls({ index: 2, id: "x", function: { name: "look", arguments: '{"n":3}' } }),
        end,
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([
      ["x", "add", '{"n":1}'],
      ["x_2", "add", '{"n":2}'],
      ["x_3", "look", '{"n":3}'],
    ]);
    expect(chunksOf(answer, "tool_call_start").map(({ id }) => id)).toEqual(["x", "x_2", "x_3"]);
  });

  it("that all have the index 0 are told apart by their ids", async () => {
    const answer = await askFor({
      events: [
        calls({ index: 0, id: "a", function: { name: "add", arguments: '{"n":1}' } }),
        calls({ index: 0, id: "b", function: { name: "add", arguments: '{"n":2}' } }),
        end,
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([
      ["a", "add", '{"n":1}'],
      ["b", "add", '{"n":2}'],
    ]);
  });

  it("that all have the index 0 and no id are told apart once one is whole", async () => {
    const answer = await askFor({
      events: [
        calls({ index: 0, function: { name: "add", arguments: '{"n":1}' } }),
        calls({ index: 0, function: { name: "add", arguments: '{"n":2}' } }),
        end,
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([
      ["call_1", "add", '{"n":1}'],
      ["call_2", "add", '{"n":2}'],
    ]);
  });

  it("without an index are told apart by their names", async () => {
    const answer = await askFor({
      events: [
        calls({ id: "a", function: { name: "add", arguments: '{"n":' } }),
        calls({ function: { arguments: "1}" } }),
        calls({ function: { name: "look", arguments: "{}" } }),
        end,
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([
      ["a", "add", '{"n":1}'],
      ["call_2", "look", "{}"],
    ]);
  });

  it("whose name and a new id come with every piece are one", async () => {
    const answer = await askFor({
      events: [
        calls({ index: 0, id: "a", function: { name: "add", arguments: '{"n":' } }),
        calls({ index: 0, id: "a", function: { name: "add", arguments: "1" } }),
        calls({ index: 0, id: "other", function: { arguments: "}" } }),
        end,
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([["a", "add", '{"n":1}']]);
  });

  it("whose pieces are mixed keep them apart", async () => {
    const answer = await askFor({
      events: [
        calls({ index: 0, id: "a", function: { name: "add", arguments: "" } }),
        calls({ index: 1, id: "b", function: { name: "look", arguments: "" } }),
        calls({ index: 1, function: { arguments: '{"q":' } }, { index: 0, function: { arguments: '{"n":' } }),
        calls({ index: 0, function: { arguments: "1}" } }, { index: 1, function: { arguments: "2}" } }),
        end,
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([
      ["a", "add", '{"n":1}'],
      ["b", "look", '{"q":2}'],
    ]);
  });

  it("may have arguments that are JSON instead of text, or none", async () => {
    const answer = await askFor({
      events: [
        calls({ index: 0, id: "a", function: { name: "add", arguments: { n: 1 } } }),
        calls({ index: 1, id: "b", function: { name: "look" } }),
        end,
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([
      ["a", "add", '{"n":1}'],
      ["b", "look", ""],
    ]);
  });

  it("that ran out of room are left out unless they are whole", async () => {
    const answer = await askFor({
      events: [
        calls({ index: 0, id: "a", function: { name: "add", arguments: '{"n":1}' } }),
        calls({ index: 1, id: "b", function: { name: "look", arguments: '{"q":"half' } }),
        delta({}, "length"),
        "[DONE]",
      ],
    });
    expect(readyOf(answer)).toEqual([["a", "add", '{"n":1}']]);
    expect(answer.chunks.at(-1)).toMatchObject({ stop_reason: "max_tokens" });
  });
});

describe("an answer", () => {
  it("that comes whole says the same as one that streams", async () => {
    const steps = [
      { reasoning: "Hm." },
      { text: "Let me." },
      { call: "add", arguments: { n: 1 } },
      { usage: { promptTokens: 3, completionTokens: 4 } },
    ];
    const answer = await askFor({ steps, whole: true });
    expect(answer.chunks).toEqual([
      { type: "reasoning_delta", delta: "Hm." },
      { type: "text_delta", delta: "Let me." },
      { type: "tool_call_start", id: "call_1", name: "add" },
      { type: "tool_call_delta", id: "call_1", args_delta: '{"n":1}' },
      { type: "tool_call_ready", id: "call_1", name: "add", arguments: '{"n":1}' },
      {
        type: "finish",
        stop_reason: "tool_use",
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cache_read_tokens: 0, thinking_tokens: 0 },
        response: { id: "chatcmpl-1", model: "test" },
      },
    ]);
  });

  it("that is cut after its last word is whole", async () => {
    const answer = await askFor({ events: [delta({ content: "Done." }), delta({}, "stop")], ending: "cut" });
    expect(answer.error).toBeUndefined();
    expect(answer.chunks.at(-1)).toEqual({ type: "finish", stop_reason: "end_turn" });
  });

  it("that the server ends without saying why is whole", async () => {
    const answer = await askFor({ events: [delta({ content: "Done." }), "[DONE]"] });
    expect(answer.error).toBeUndefined();
    expect(textOf(answer)).toBe("Done.");
  });

  it("that just ends is not", async () => {
    const answer = await askFor({ events: [delta({ content: "Do" })] });
    expect(answer.error).toMatchObject({ kind: "stream_interrupted" });
    expect(textOf(answer)).toBe("Do");
  });

  it("may end without a blank line, have comments, names and other line ends", async () => {
    const data = [delta({ content: "Hi" }), delta({}, "stop")].map(
      (event) => `event: message\r\ndata:${JSON.stringify(event)}\r\n\r\n`,
    );
    const body = `\uFEFF: keep-alive\r\n\r\n${data.join(": still here\r\n\r\n")}data: [DONE]`;
    const answer = await askFor({ headers: { "content-type": "text/event-stream" }, body });
    expect(answer.error).toBeUndefined();
    expect(textOf(answer)).toBe("Hi");
  });

  it("with an event that is no JSON is malformed, after what came before", async () => {
    const answer = await askFor({ events: [delta({ content: "Well" }), "{half"] });
    expect(answer.error).toMatchObject({ kind: "malformed_response" });
    expect(textOf(answer)).toBe("Well");
  });

  it("that its filter stopped is an error of its own", async () => {
    const answer = await askFor({ events: [delta({ content: "Well" }), delta({}, "content_filter"), "[DONE]"] });
    expect(answer.error).toMatchObject({ kind: "content_filter" });
  });

  it("that says it is a stream and holds an error is judged by the error", async () => {
    const body = JSON.stringify({ error: { code: "context_length_exceeded", message: "Too long." } });
    const answer = await askFor({ headers: { "content-type": "text/event-stream" }, body });
    expect(answer.error).toMatchObject({ kind: "context_length", code: "context_length_exceeded", status: 200 });
  });

  it("whose error has a number is judged by it", async () => {
    const answer = await askFor({ events: [delta({ content: "We" }), { error: { code: 502, message: "Upstream." } }] });
    expect(ModelError.is(answer.error, "server_error")).toBe(true);
  });

  it("may be empty", async () => {
    const answer = await askFor({ events: [delta({ content: "" }, "stop"), "[DONE]"] });
    expect(answer.chunks).toEqual([{ type: "finish", stop_reason: "end_turn" }]);
  });

  it("says which stop sequence ended it, where the server tells", async () => {
    const answer = await askFor([{ text: "One" }, { stop: "stop_sequence" }]);
    expect(answer.chunks.at(-1)).toMatchObject({ stop_reason: "stop_sequence" });
  });
});
