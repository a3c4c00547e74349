import type { ToolDescriptor } from "@reprise/contracts";
import { expect, it } from "vitest";
import { createToolIndex, parseToolQuery } from "./tool-index.ts";

function tool(id: string, description: string, ...parameters: readonly string[]): ToolDescriptor {
  return {
    id,
    name: id,
    description,
    parameters: { type: "object", properties: Object.fromEntries(parameters.map((name) => [name, {}])) },
    class: "mutating",
    needs_approval: false,
    is_destructive: false,
    is_recursive: false,
    idempotent: false,
    interrupt_behavior: "cancel",
    timeout_ms: null,
    capabilities: [],
    version: "",
    metadata: {},
  };
}

const TOOLS = [
  tool("mcp__github__create_issue", "Opens a new issue in a repository.", "title", "body"),
  tool("mcp__github__listIssues", "Lists the issues of a repository."),
  tool("mcp__gitlab__create_issue", "Opens a new issue in a project."),
  tool("calendar.create-event", "Puts an appointment into the calendar.", "attendees"),
  tool("send_mail", "Sends an e-mail. Mentions a calendar and an issue."),
];
const index = createToolIndex(TOOLS);

function search(query: string): readonly string[] {
  const parsed = parseToolQuery(query);
  if (parsed.kind === "select") throw new Error("not a search of words");
  return index.search(parsed);
}

it.each([
  ["words of an id in any spelling", "create event", "calendar.create-event"],
  ["camelCase as separate words", "list issue", "mcp__github__listIssues"],
  ["singular and plural as one word", "mails", "send_mail"],
  ["the beginning of a word", "repo github iss creat", "mcp__github__create_issue"],
  ["names of parameters", "attendee", "calendar.create-event"],
  ["full-width letters", "ｃａｌｅｎｄａｒ", "calendar.create-event"],
])("finds %s", (_, query, expected) => {
  expect(search(query)[0]).toBe(expected);
});

it("ranks a word of the id above the same word in a description", () => {
  expect(search("calendar")).toEqual(["calendar.create-event", "send_mail"]);
});

it("needs every word with a plus, and ranks by the others", () => {
  expect(search("+gitlab +issue create")).toEqual(["mcp__gitlab__create_issue"]);
  expect(search("+issue github")[0]).toMatch(/github/);
  expect(search("+nowhere issue")).toEqual([]);
});

it("finds nothing for words that no tool has, and for signs", () => {
  expect(search("xylophone")).toEqual([]);
  expect(search("+ ++ -- '\" \\ __proto__ constructor")).toEqual([]);
});

it.each([
  ["select:a,b", { kind: "select", ids: ["a", "b"] }],
  [" select: a  b ,c", { kind: "select", ids: ["a", "b", "c"] }],
  ["select:", { kind: "select", ids: [] }],
  ["+must rest of-it", { kind: "words", must: ["must"], words: ["rest", "of", "it"] }],
  ["", { kind: "words", must: [], words: [] }],
])("reads the query %j", (query, expected) => {
  expect(parseToolQuery(query)).toEqual(expected);
});

it("reads a bounded part of a query", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `w${at}`);
  expect(parseToolQuery(many.join(" "))).toMatchObject({ words: { length: 32 } });
  expect(parseToolQuery(`select:${many.join(",")}`)).toMatchObject({ ids: { length: 50 } });
});
