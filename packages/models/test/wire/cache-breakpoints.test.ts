import type { Message, ModelRequest } from "@reprise/contracts";
import { startModelServer } from "@reprise/testkit/model-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { ADAPTERS } from "../support/adapters.ts";
import { ask, toolOf } from "../support/ask.ts";

/** What the server got when a model was asked once. */
async function send(name: string, fields: Partial<ModelRequest>): Promise<unknown> {
  const adapter = ADAPTERS.find((each) => each.name === name);
  if (adapter === undefined) throw new Error(`There is no adapter ${name}.`);
  const server = await startModelServer(["Fine."]);
  onTestFinished(() => server.close());
  const { error } = await ask(adapter.open(server.url), { tools: [toolOf("look_up")], ...fields });
  expect(error).toBeUndefined();
  return server.requests[0]?.body;
}

describe("a request that says itself where it stays the same", () => {
  const words = (id: string, role: "user" | "assistant"): Message => ({ id, role, content: id });
  const messages = [words("u1", "user"), words("a1", "assistant"), words("u2", "user"), words("a2", "assistant")];
  const after = (message_id: string) => ({ after: "message", message_id }) as const;
  const cache_breakpoints = [{ after: "system" }, after("u1"), after("u2")] as const;

  /** What stands directly before each mark in a body, in the order of the body. */
  const markedIn = (body: unknown, mark: string): readonly string[] =>
    [...JSON.stringify(body).matchAll(/"(?:text|name)":"([^"]*)"|"(cache_control|cachePoint)"/g)].flatMap(
      ([, text, found], index, all) => (found === mark && text === undefined ? [all[index - 1]?.[1] ?? ""] : []),
    );

  it("is marked there for Anthropic", async () => {
    const body = await send("anthropic v4", { messages, cache_breakpoints });
    expect(markedIn(body, "cache_control")).toEqual(["Be kind.", "u1", "u2"]);
    expect(JSON.stringify(body)).toContain('"cache_control":{"type":"ephemeral"}');
  });

  it("and for Bedrock", async () => {
    const body = await send("bedrock v4", { messages, cache_breakpoints });
    expect(JSON.stringify(body).match(/cachePoint/g)).toHaveLength(3);
  });

  it("has a mark on its last tool when there is no system text", async () => {
    const body = await send("anthropic v4", {
      system: "",
      tools: [toolOf("a"), toolOf("b")],
      messages,
      cache_breakpoints,
    });
    expect(body).toMatchObject({ tools: [{ name: "a" }, { name: "b", cache_control: { type: "ephemeral" } }] });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3);
  });

  it("has no more marks than a provider takes: the first and the latest", async () => {
    const many = [{ after: "system" } as const, ...["u1", "a1", "u2", "a2"].map(after)];
    const body = await send("anthropic v4", { messages: [...messages, words("u3", "user")], cache_breakpoints: many });
    expect(markedIn(body, "cache_control")).toEqual(["Be kind.", "a1", "u2", "a2"]);
  });

  it("is kept for as long as its options say", async () => {
    const body = await send("anthropic v4", { messages, cache_breakpoints, options: { prompt_cache: { ttl: "1h" } } });
    expect(JSON.stringify(body).match(/"ttl":"1h"/g)).toHaveLength(3);
  });

  it("passes over a message that is not there", async () => {
    const body = await send("anthropic v4", { messages, cache_breakpoints: [after("nowhere")] });
    expect(JSON.stringify(body)).not.toMatch(/cache/);
  });

  it.each(["openaiCompatible", "openai v4, responses", "google v4", "deepseek v4"])(
    "means nothing to %s",
    async (name) => {
      const body = await send(name, { messages, cache_breakpoints });
      expect(JSON.stringify(body)).not.toMatch(/cache|breakpoint/);
    },
  );
});
