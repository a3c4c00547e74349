import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "./parse-json.ts";

/** Reads keys with backslashes in every place of a small object, so that a parser which remembers them wrongly has them. */
function poison(): void {
  const keys = ["\\", "\\\\", '\\"', "\\u", "\\n", "a\\", "\\a"];
  for (const key of keys) {
    JSON.parse(JSON.stringify({ [key]: 1 }));
    for (const before of ["a", "b", ...keys]) JSON.parse(JSON.stringify({ [before]: 1, [key]: 1 }));
  }
}

/** Short keys of characters that JSON escapes, and of what escapes are made of. */
const key = fc.oneof(
  fc.string({
    unit: fc.constantFrom("\\", '"', "\n", "\u0000", "u", "n", "0", "a", "_", "é", "\ud83d", ":"),
    maxLength: 3,
  }),
  fc.constantFrom("__proto__", "toString", "0", "1", "a", "b", "_0", "__1"),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom(null, true, 0, -1.5, "", "\\", '":', '\\n":', '{"\\n":1}'),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

describe("parseJson", () => {
  it("gives every key back as it was written, whatever was read before", () => {
    poison();
    fc.assert(
      fc.property(json, fc.boolean(), (value, isSpaced) => {
        const text = JSON.stringify(value, null, isSpaced ? 2 : 0);
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(value));
      }),
      { numRuns: Math.max(2_000, fc.readConfigureGlobal().numRuns ?? 0) },
    );
  });

  it.each(["\n", '"', "\u0000", "\u2028", "\\n", '"a'])(
    "keeps the key %j beside one that begins like it is written",
    (name) => {
      poison();
      const text = JSON.stringify({ a: 1, [name]: 2, list: [{ [name]: { [name]: name } }] });
      expect(JSON.stringify(parseJson(text))).toBe(text);
    },
  );

  it("has the last of two values for a key, however it is written", () => {
    expect(parseJson('{"a":1,"\\u0061":2}')).toEqual({ a: 2 });
    expect(parseJson('{"\\u0061":2,"b":0,"a":1}')).toEqual({ a: 1, b: 0 });
    expect(parseJson('{"\\n":1,"\\u000a":2}')).toEqual({ "\n": 2 });
    expect(Object.keys(Object(parseJson('{"b":1,"\\u0030":2}')))).toEqual(["0", "b"]);
  });

  it("makes an own key of __proto__ that is written with an escape", () => {
    const value = parseJson('{"\\u005f_proto__":{"polluted":true}}');
    expect(Object.hasOwn(Object(value), "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each(['{"a":1,"\\n" :2}', '{"a":1,"\\n"\t\r\n :2}', ' { "a" : 1 , "\\u000a" : 2 } '])(
    "finds the keys of %j",
    (text) => {
      poison();
      expect(JSON.stringify(parseJson(text))).toBe('{"a":1,"\\n":2}');
    },
  );

  it("takes no text in a value for a key", () => {
    const text = JSON.stringify({ said: '{"a\\n":1}, "\\"b\\"" : 2', "\n": ['":', '\\":', '\\\\":'] });
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  it("refuses what is no JSON in the words of the parser", () => {
    for (const text of ["", "{", '{"\\n":1', '{"\\q":1}', '{"\\n":1}}', '"\\n":', "{'\\n':1}", '{"a\n\\n":1}', "\\"]) {
      const refusal = (parse: (text: string) => unknown): unknown => {
        try {
          return parse(text);
        } catch (error) {
          return String(error);
        }
      };
      expect(refusal(parseJson)).toBe(refusal(JSON.parse));
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
  });

  it("reads what nests deeper than the stack", () => {
    const depth = 20_000;
    const text = `${'{"\\n":['.repeat(depth)}${"]}".repeat(depth)}`;
    let value: unknown = parseJson(text);
    let deep = 0;
    while (Array.isArray(value) ? value.length > 0 : Object.hasOwn(Object(value), "\n")) {
      value = Array.isArray(value) ? value[0] : Object(value)["\n"];
      deep += 1;
    }
    expect(deep).toBe(2 * depth - 1);
  });
});
