import { guardrails } from "@reprise/plugins/guardrails";
import { expect, it } from "vitest";
import { openAgent } from "./support/open-agent.ts";

const blocking = guardrails({ input: [{ name: "weapons", pattern: "bomb", action: "block" }] });

it("checks a message whose run was cancelled before its first step when the next run reads it", async () => {
  const { runtime, model, env } = await openAgent({ plugins: [blocking], script: () => "ok" });
  // Not begun: cancelled while it is in the queue behind another.
  const first = await runtime.start({ agent: "agent", threadId: "t1", input: "hello" });
  const second = await runtime.start({ agent: "agent", threadId: "t1", input: "a bomb", whenBusy: "enqueue" });
  await second.cancel();
  await first.outcome();
  for (let turn = 0; turn < 5; turn += 1) await env.advance(500);
  await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "and now?" });
  for (const { messages } of model.requests) expect(JSON.stringify(messages)).not.toContain("a bomb");
});

it("cannot be talked out of a verdict by a client that repeats the message's id", async () => {
  const { runtime, model } = await openAgent({ plugins: [blocking], script: () => "ok" });
  const message = (content: string) => ({ id: "m1", role: "user", content }) as const;
  await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: [message("a bomb")] });
  await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: [message("harmless"), message("bomb?")] });
  expect(JSON.stringify(model.requests)).not.toContain("bomb");
});

it("cannot be made to run for ever by a text, and treats signs of replacement as text", async () => {
  const slow = guardrails({ input: [{ name: "$&$1", pattern: "(a+)+$", action: "redact" }] });
  const { run, model } = await openAgent({ plugins: [slow], script: () => "ok" });
  await run(`${"a".repeat(50_000)}b`);
  await run("aaaa");
  expect(JSON.stringify(model.requests[1])).toContain("[$&$1]");
});

it("reads a text of several parts as one, and leaves files of redacted messages where they are", async () => {
  const plugin = guardrails({ input: [{ name: "mail", detect: "email", action: "redact" }] });
  const { runtime, model } = await openAgent({ plugins: [plugin], script: () => "ok" });
  const content = [
    { type: "text", text: "ada@exam" },
    { type: "text", text: "ple.com" },
    { type: "image", url: "https://example.com/a.png" },
  ] as const;
  await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: [{ role: "user", content }] });
  const [message] = model.requests[0]?.messages ?? [];
  expect(message?.content).toEqual([{ type: "text", text: "[mail]" }, content[2]]);
});
