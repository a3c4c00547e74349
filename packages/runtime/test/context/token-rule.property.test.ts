import type { CountTokens } from "@reprise/contracts";
import { createTokenCounter } from "@reprise/models";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { estimateByRule } from "../../src/context/token-rule.ts";

let count: CountTokens;

beforeAll(async () => {
  count = await createTokenCounter().load();
});

function holds(texts: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(texts, (text) => {
      expect(estimateByRule(text), JSON.stringify(text)).toBeGreaterThanOrEqual(count(text));
    }),
    { numRuns: Math.max(400, fc.readConfigureGlobal().numRuns ?? 0) },
  );
}

const code = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((point) => String.fromCodePoint(point));
const textOf = (unit: fc.Arbitrary<string>) => fc.string({ unit, maxLength: 400 });
const letters = (alphabet: string) => fc.constantFrom(...alphabet);

const WORDS =
  "the of and agent runtime conversation window tokenization deterministic please remember that I've asked you to write a " +
  "function which returns undefined when nothing was found extraordinarily misunderstanding JavaScript TypeScript SQLite " +
  "HTTP JSON parseUserInput MAX_RETRY_COUNT kebab-case-name snake_case_name node_modules antidisestablishmentarianism";
const words = fc
  .array(fc.constantFrom(...WORDS.split(" "), ".", ",", "\n", "\n\n", "  ", "(", ")", "42", "3.14", "2026-11-15"), {
    maxLength: 200,
  })
  .map((list) => list.join(" "));
const ids = fc.array(
  fc.oneof(fc.uuid(), fc.base64String({ maxLength: 200 }), fc.ipV6(), fc.webUrl(), fc.emailAddress()),
);

describe("the rule is never below the tokenizer", () => {
  it.each([
    ["words, numbers and punctuation", words],
    ["any printable ASCII", textOf(code(32, 126))],
    ["any ASCII at all", textOf(code(0, 127))],
    ["digits", textOf(letters("0123456789"))],
    ["capitals", textOf(letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))],
    ["hexadecimal", textOf(letters("0123456789abcdef"))],
    ["white space", textOf(letters(" \n\t\r"))],
    ["Chinese", textOf(code(0x4e00, 0x9fff))],
    ["Japanese", textOf(fc.oneof(code(0x3040, 0x30ff), code(0x4e00, 0x9fff)))],
    ["Korean", textOf(code(0xac00, 0xd7a3))],
    ["emoji and what else there is", fc.string({ unit: "binary", maxLength: 200 })],
    ["JSON", fc.json({ maxDepth: 4, stringUnit: fc.oneof(code(32, 126), code(0x4e00, 0x9fff)) })],
    ["JSON that is laid out", fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, null, 2))],
    ["ids, keys and addresses", ids.map((list) => JSON.stringify(list))],
  ])("%s", (_, texts) => holds(texts));
});

const PROSE = [
  "A run is a conversation with two unreliable parties. What was answered for is never lost, and nothing is done twice.",
  "运行时会在每次提交之后才显示结果，所以任何人都可以随时查看发生了什么以及为什么。",
  "ランタイムは、確定されるまで何も真実とはみなしません。途中で止まっても、同じことが二度行われることはありません。",
  "런타임은 커밋되기 전까지는 아무것도 사실로 여기지 않습니다. 도중에 멈추어도 같은 일이 두 번 일어나지 않습니다.",
  "for (const [key, value] of Object.entries(record)) {\n    if (value === undefined) continue;\n    total += value.length;\n}\n",
];

it.each(PROSE)("of what people write it makes no more than seven times what it is: %s", (text) => {
  const tokens = count(text);
  expect(estimateByRule(text)).toBeGreaterThanOrEqual(tokens);
  expect(estimateByRule(text)).toBeLessThanOrEqual(tokens * 7);
});

it("of English it makes no more than three times what it is", () => {
  const [english = ""] = PROSE;
  expect(estimateByRule(english)).toBeLessThanOrEqual(count(english) * 3);
});
