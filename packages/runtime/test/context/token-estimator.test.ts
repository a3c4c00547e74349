import type { CountTokens, LogLevel, Message } from "@reprise/contracts";
import { createTokenCounter } from "@reprise/models";
import { expect, it } from "vitest";
import { TokenEstimator } from "../../src/context/token-estimator.ts";
import { estimateByRule } from "../../src/context/token-rule.ts";

/** An estimator whose counter counts characters, and what it was asked and logged. */
function estimatorWith(load: () => Promise<CountTokens>) {
  const logged: LogLevel[] = [];
  return { estimator: new TokenEstimator({ load }, (level) => logged.push(level)), logged };
}

const message: Message = { id: "m1", role: "user", content: "12345" };

it("adds what providers write around messages, calls and tools", async () => {
  const { estimator } = estimatorWith(async () => (text) => text.length);
  await estimator.prepare();
  expect(estimator.estimateMessage(message)).toBe(4 + 5);
  const calling: Message = {
    id: "m2",
    role: "assistant",
    content: [
      { type: "reasoning", text: "123", encrypted: "12345678" },
      { type: "text", text: "12" },
      { type: "image", url: "blob:x" },
    ],
    tool_calls: [{ id: "c1", name: "add", arguments: { a: 1 } }],
  };
  expect(estimator.estimateMessage(calling)).toBe(4 + (3 + 2) + 2 + 1600 + (20 + 3 + '{"a":1}'.length));
  const frame = { system: "1234", tools: [], output_schema: { schema: { type: "object" } } };
  expect(estimator.estimateFrame(frame)).toBe(4 + '{"type":"object"}'.length);
});

it("loads the tokenizer once, when it is first asked to, and counts each message once", async () => {
  let [loads, counts] = [0, 0];
  const { estimator } = estimatorWith(async () => {
    loads += 1;
    return (text) => {
      counts += 1;
      return text.length;
    };
  });
  expect([estimator.method, loads]).toEqual(["rule", 0]);
  await Promise.all([estimator.prepare(), estimator.prepare()]);
  expect([estimator.method, loads]).toEqual(["tokenizer", 1]);
  for (let turn = 0; turn < 3; turn += 1) estimator.estimateMessage(message);
  expect(counts).toBe(1);
  estimator.estimateMessage({ ...message });
  expect(counts).toBe(2);
});

it("counts by the rule when there is no tokenizer, and when it cannot be had, and says so", async () => {
  const without = new TokenEstimator(undefined, () => undefined);
  await without.prepare();
  expect(without.estimateMessage(message)).toBe(4 + estimateByRule("12345"));
  const { estimator, logged } = estimatorWith(() => Promise.reject(new Error("not installed")));
  await estimator.prepare();
  expect([estimator.method, logged]).toEqual(["rule", ["warn"]]);
  expect(estimator.estimateMessage(message)).toBe(4 + estimateByRule("12345"));
});

it("counts by the rule what the tokenizer throws at", async () => {
  const { estimator, logged } = estimatorWith(async () => () => {
    throw new Error("no");
  });
  await estimator.prepare();
  expect(estimator.estimateMessage(message)).toBe(4 + estimateByRule("12345"));
  expect(logged).toEqual(["warn"]);
});

it("does not count by the rule what it counted before the tokenizer was there", async () => {
  const { estimator } = estimatorWith(async () => () => 1000);
  estimator.estimateMessage(message);
  await estimator.prepare();
  expect(estimator.estimateMessage(message)).toBe(1004);
});

it("takes the tokenizer's own marks in a text for text, and long runs in pieces", async () => {
  const count = await createTokenCounter().load();
  expect(count("a <|endoftext|> b")).toBeGreaterThan(4);
  expect(count("")).toBe(0);
  const whole = "Characters 🙂 of two halves are not cut in two. ".repeat(200);
  const pieces = await import("gpt-tokenizer/encoding/o200k_base");
  expect(count(whole)).toBeGreaterThanOrEqual(pieces.countTokens(whole));
  expect(count(whole)).toBeLessThan(pieces.countTokens(whole) * 1.02);
  // Whole, this takes the tokenizer a minute and more.
  expect(count("a".repeat(400_000))).toBeGreaterThan(0);
});
