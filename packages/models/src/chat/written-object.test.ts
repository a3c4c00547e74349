import fc from "fast-check";
import { expect, it } from "vitest";
import { WrittenObject } from "./written-object.ts";

function write(pieces: readonly string[]): WrittenObject {
  const written = new WrittenObject();
  for (const piece of pieces) written.add(piece);
  return written;
}

it("knows an object that is whole, whatever is in it and however it is cut", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom("", " ", "\n "), (value, blank) => {
      const text = blank + JSON.stringify(value) + blank;
      expect(write([...text])).toMatchObject({ isWhole: true, text });
      expect(write([text.slice(0, text.lastIndexOf("}"))]).isWhole).toBe(false);
    }),
  );
});

it.each(["", "{", '{"a":"}', '{"a":"\\"}', "{}}", "{} {", "{]", "[1]", "null", "5", '"{}"', '{"a":[}]'])(
  "takes %j for no whole object",
  (text) => {
    expect(write([text]).isWhole).toBe(false);
    expect(write([...text]).isWhole).toBe(false);
  },
);

it("looks at each piece once, however often it is asked", () => {
  const written = new WrittenObject();
  written.add('{"a":[');
  // Parsed anew with every piece, this would take hours.
  for (let count = 0; count < 500_000; count++) {
    written.add('{"a":1},');
    if (written.isWhole) throw new Error("It is not whole.");
  }
  written.add("{}]}");
  expect(written.isWhole).toBe(true);
});
