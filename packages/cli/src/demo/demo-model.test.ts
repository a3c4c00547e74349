import type { Message, ModelChunk, ModelRequest } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { demoProvider } from "./demo-model.ts";
import { demoTools } from "./demo-tools.ts";

const TOOLS = demoTools({ stepMs: 0 }).map(({ descriptor }) => descriptor);

function requestOf(messages: readonly Message[]): ModelRequest {
  return { system: "", messages, tools: TOOLS, options: {}, signal: new AbortController().signal };
}

async function ask(model: string, messages: readonly Message[]): Promise<{ text: string; calls: readonly object[] }> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of demoProvider("demo", { wordMs: 0 }).model(model).stream(requestOf(messages)))
    chunks.push(chunk);
  return {
    text: chunks.map((chunk) => (chunk.type === "text_delta" ? chunk.delta : "")).join(""),
    calls: chunks.flatMap((chunk) =>
      chunk.type === "tool_call_ready" ? [{ tool: chunk.name, ...JSON.parse(chunk.arguments) }] : [],
    ),
  };
}

const user = (content: string, id = "u"): Message => ({ id, role: "user", content });

function round(tool: string, input: Json, data: Json, status = "success"): readonly Message[] {
  const call = { id: `call-${tool}`, name: tool, arguments: input };
  return [
    { id: `m-${tool}`, role: "assistant", content: "", tool_calls: [call] },
    { id: `r-${tool}`, role: "tool", tool_call_id: call.id, content: JSON.stringify(data), metadata: { status } },
  ];
}

describe("the tools it picks from the user's words", () => {
  it.each([
    ["what is 12*7", { tool: "calculator", expression: "12*7" }],
    ["What is (3 + 4) / 2?", { tool: "calculator", expression: "(3 + 4) / 2" }],
    ["echo hello there", { tool: "echo", message: "hello there" }],
    ["Which time is it?", { tool: "clock" }],
    ["do something slow", { tool: "slowTask" }],
    ["please fail", { tool: "failingTool" }],
    ["about the server", { tool: "serverInfo" }],
    ["explain replay", { tool: "lookUp", word: "replay" }],
    ["finish", { tool: "finish", summary: "finish" }],
    [
      "send a mail to ann@example.com saying lunch is ready",
      { tool: "sendEmail", to: "ann@example.com", subject: "From the Reprise demonstration", body: "lunch is ready" },
    ],
  ])("%s", async (said, call) => {
    expect((await ask("assistant", [user(said)])).calls).toEqual([call]);
  });

  it.each(["hello", "I am 12 years old", "chapter 7"])("none: %s", async (said) => {
    const { text, calls } = await ask("assistant", [user(said)]);
    expect(calls).toEqual([]);
    expect(text).toContain("I am a demonstration model");
    expect(text).toContain("- what is 12 * 7");
  });
});

it("says what came of a call, of one that failed and of one that was denied", async () => {
  const told = async (...messages: readonly Message[]): Promise<string> =>
    (await ask("assistant", [user("x"), ...messages])).text;
  expect(await told(...round("calculator", {}, { expression: "12*7", value: 84 }))).toBe("12*7 = 84");
  const failure = { error: { code: "execution_failed", message: "Tool failingTool failed: no" } };
  expect(await told(...round("failingTool", {}, failure, "error"))).toContain("Tool failingTool failed: no");
  const denial = { error: { code: "denied", message: "The call was denied." } };
  expect(await told(...round("sendEmail", {}, denial, "error"))).toBe("You said no, so sendEmail did not run.");
});

it("remembers what was said before", async () => {
  const messages = [user("echo one", "u1"), user("what did I say first?", "u2")];
  expect((await ask("assistant", messages)).text).toBe(
    "You have said 2 things in this thread. The first was: echo one",
  );
});

it("looks several things up at once, then delegates, then reports", async () => {
  const question = user("Tell me about threads and forks");
  const first = await ask("researcher", [question]);
  expect(first.calls).toEqual([
    { tool: "lookUp", word: "thread" },
    { tool: "lookUp", word: "fork" },
    { tool: "clock" },
  ]);
  const found = round("lookUp", { word: "thread" }, { word: "thread", note: "A thread is kept." });
  const second = await ask("researcher", [question, ...found]);
  expect(second.calls).toEqual([{ tool: "agent_run", agent_id: "assistant", prompt: "What is 0 + 44?" }]);
  const checked = round("agent_run", {}, { status: "completed", output: "0 + 44 = 44" });
  expect((await ask("researcher", [question, ...found, ...checked])).text).toContain("- A thread is kept.");
});

it("asks for every mail as the approver, and never ends by itself as the stopper", async () => {
  expect((await ask("approver", [user("hello")])).calls).toMatchObject([
    { tool: "sendEmail", to: "team@example.com", body: "hello" },
  ]);
  expect((await ask("stopper", [user("go"), ...round("echo", {}, {})])).calls).toEqual([
    { tool: "echo", message: "step 2" },
  ]);
  expect((await ask("stopper", [user("finish")])).calls).toEqual([{ tool: "finish", summary: "finish" }]);
});

it("says the same text whatever its pace, and stops when it is told to", async () => {
  const control = new AbortController();
  const stream = demoProvider("demo", { wordMs: 60_000 })
    .model("assistant")
    .stream({ ...requestOf([user("hi")]), signal: control.signal });
  const iterator = stream[Symbol.asyncIterator]();
  expect(await iterator.next()).toEqual({ done: false, value: { type: "text_delta", delta: "I " } });
  const next = iterator.next();
  control.abort();
  await expect(next).rejects.toMatchObject({ kind: "cancelled" });
});
