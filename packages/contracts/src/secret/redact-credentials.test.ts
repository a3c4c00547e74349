import { expect, it } from "vitest";
import { redactCredentials } from "./redact-credentials.ts";

it.each([
  ["401 for key sk-live-4f9a8b7c6d5e", "401 for key [redacted]"],
  ["rk.acme.0123456789abcdef.0123", "[redacted]"],
  ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[redacted]"],
  ["AKIAIOSFODNN7EXAMPLE was refused", "[redacted] was refused"],
  ["Authorization: Bearer abcdef0123456789", "Authorization: Bearer [redacted]"],
  ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "jwt [redacted]"],
  ["postgres://app:hunter22@db.internal/app", "postgres://[redacted]@db.internal/app"],
  ['{"password":"hunter22","user":"ann"}', '{"password":"[redacted]","user":"ann"}'],
  ['{"body":"{\\"api_key\\":\\"q1w2e3r4\\"}"}', '{"body":"{\\"api_key\\":\\"[redacted]\\"}"}'],
  ["password=back\\slash\\1 and more", "password=[redacted] and more"],
  ["GET /v1?api_key=q1w2e3r4&page=2", "GET /v1?api_key=[redacted]&page=2"],
])("takes the credential out of %s", (text, expected) => {
  expect(redactCredentials(text)).toBe(expected);
});

it.each([
  "No order ord8f7a6b5c4d3e2f1a0.",
  "model claude-sonnet-4-5-20250929 not found",
  "request 0198f3a2-7c1d-7a4e-9b1f-2c3d4e5f6071",
  "commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "sk-learn is not installed",
  "the token is missing",
  "Basic authentication is not supported",
  "see https://example.com:8080/a@b",
  "pk_customers has no row",
])("leaves %s as it is", (text) => {
  expect(redactCredentials(text)).toBe(text);
});

it("comes to the end of a text that a pattern with backtracking would never get through", () => {
  const text = `${"Bearer ".repeat(200_000)}${"a:".repeat(200_000)}//${"x".repeat(1_000_000)}`;
  expect(redactCredentials(text)).toBe(text);
});

it("comes to the end of many keys and escapes that hold no credential", () => {
  const text = `${'token:\\"'.repeat(100_000)}${"\\".repeat(1_000_000)}`;
  expect(redactCredentials(text).length).toBeGreaterThan(0);
});
