import fc from "fast-check";
import { expect, it } from "vitest";
import { EventStream } from "./event-stream.ts";

function readAll(pieces: readonly string[]): readonly string[] {
  const stream = new EventStream();
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
}

it.each([
  ["one line each", "data: a\n\ndata: b\n\n", ["a", "b"]],
  ["several lines of one event", "data: a\ndata: b\n\n", ["a\nb"]],
  ["no space after the colon", "data:a\n\n", ["a"]],
  ["only the first space", "data:  a\n\n", [" a"]],
  ["an empty value", "data\n\ndata:\n\n", ["", ""]],
  ["other fields and comments", ": hi\nevent: x\nid: 1\nretry: 5\ndata: a\ndatabase: no\n\n", ["a"]],
  ["returns", "data: a\r\rdata: b\r\n\r\n", ["a", "b"]],
  ["a byte order mark", "\uFEFFdata: a\n\n", ["a"]],
  ["no blank line at the end", "data: a\n\ndata: b", ["a", "b"]],
  ["nothing", "\n\n\n", []],
])("reads %s", (_, text, events) => {
  expect(readAll([text])).toEqual(events);
});

const line = fc.constantFrom("data: a", "data:b", "data: ", "data", ": c", "event: e", "", "", "{}", "data: 🌍");
const end = fc.constantFrom("\n", "\r\n", "\r");

it("reads the same, wherever the text is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat(200)), (lines, cuts) => {
      const text = lines.map(([content, ending]) => content + ending).join("");
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, text.length)).sort((left, right) => left - right),
        text.length,
      ];
      const pieces = places.slice(1).map((to, index) => text.slice(places[index], to));
      expect(readAll(pieces)).toEqual(readAll([text]));
    }),
  );
});
