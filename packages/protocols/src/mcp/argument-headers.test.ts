import { describe, expect, it } from "vitest";
import { findArgumentMismatch } from "./argument-headers.ts";

const schema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    size: { type: "integer", "x-mcp-header": "Size" },
    isFast: { type: "boolean", "x-mcp-header": "Fast" },
    note: { type: "string" },
    place: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
    wrong: { type: "string", "x-mcp-header": "not a name" },
  },
};

const find = (given: object, headers: Readonly<Record<string, string>>): string | undefined =>
  findArgumentMismatch(schema, given as never, new Headers(headers));

describe("the headers of a call", () => {
  it.each([
    ["nothing that is given", {}, {}],
    ["null", { region: null }, {}],
    ["a text", { region: "eu" }, { "mcp-param-region": "eu" }],
    ["a text in base64", { region: "Ö" }, { "mcp-param-region": `=?base64?${btoa("\u00c3\u0096")}?=` }],
    ["a text that only looks like base64", { region: "SGk=" }, { "mcp-param-region": "SGk=" }],
    ["a number, however it is written", { size: 42 }, { "mcp-param-size": "42.0" }],
    ["a flag", { isFast: false }, { "mcp-param-fast": "false" }],
    ["an argument below", { place: { city: "Oslo" } }, { "mcp-param-city": "Oslo" }],
    ["an argument without a header, and one whose header has no name", { note: "x", wrong: "y" }, {}],
  ])("repeat %s", (_, given, headers) => {
    expect(find(given, headers)).toBeUndefined();
  });

  it.each([
    ["is missing", { region: "eu" }, {}, "The header Mcp-Param-Region must repeat the argument region."],
    ["says something else", { region: "eu" }, { "mcp-param-region": "us" }, "Region"],
    ["says something that is not given", {}, { "mcp-param-region": "us" }, "Region"],
    ["lacks the padding of its base64", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }, "Region"],
    ["is no base64", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVs!!!bG8=?=" }, "Region"],
    ["is no number", { size: 0 }, { "mcp-param-size": "" }, "Size"],
    ["is another flag", { isFast: true }, { "mcp-param-fast": "1" }, "Fast"],
    ["is missing below", { place: { city: "Oslo" } }, {}, "City"],
  ])("are refused when one %s", (_, given, headers, words) => {
    expect(find(given, headers)).toContain(words);
  });
});
