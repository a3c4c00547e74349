import { inspect } from "node:util";
import { expect, it } from "vitest";
import { createRedactor } from "./redact.ts";
import { Secret } from "./secret.ts";

const KEY = "sk-very-secret";
const secret = new Secret(KEY);

it("shows its value only to code that asks for it by name", () => {
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: [{ secret }] }, { depth: 9, showHidden: true }),
    JSON.stringify({ ...secret }),
    JSON.stringify(structuredClone(secret)),
    Object.values(secret).join(),
    new Error("x", { cause: secret }).toString(),
  ];
  for (const text of shown) expect(text).not.toContain("very");
  expect(JSON.stringify({ secret })).toBe('{"secret":"[redacted]"}');
  expect(inspect({ secret })).toContain("[redacted]");
  expect(secret.reveal()).toBe(KEY);
});

it("takes known secrets out of a text, in every form they come in", () => {
  const redact = createRedactor([new Secret("Bearer a b/c+d"), new Secret('q"uote'), new Secret("abc")]);
  expect(redact("with Bearer a b/c+d")).toBe("with [redacted]");
  expect(redact("only b/c+d or b%2Fc%2Bd")).toBe("only [redacted] or [redacted]");
  expect(redact(JSON.stringify({ key: 'q"uote' }))).toBe('{"key":"[redacted]"}');
  // A secret of three letters would take half of a text away, and so would the word before a token.
  expect(redact("abc Bearer")).toBe("abc Bearer");
});

it("takes out what looks like a credential, and leaves names, ids and addresses", () => {
  const redact = createRedactor([]);
  expect(redact("key sk-proj-Ab3dEf6hIj9lMn2pQr5t is wrong")).toBe("key [redacted] is wrong");
  expect(redact("AKIAIOSFODNN7EXAMPLE")).toBe("[redacted]");
  const kept = [
    "model claude-sonnet-4-5-20250929 not found",
    "request 0198f3a2-7c1d-7a4e-9b1f-2c3d4e5f6071",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "https://api.openai.com/v1/chat/completions",
  ];
  for (const text of kept) expect(redact(text)).toBe(text);
});

it("takes a secret out that begins like another", () => {
  const redact = createRedactor([new Secret("abcd"), new Secret("abcdefgh")]);
  expect(redact("abcdefgh and abcd")).toBe("[redacted] and [redacted]");
});
