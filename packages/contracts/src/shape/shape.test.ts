import { describe, expect, it } from "vitest";
import {
  describeProblem,
  flag,
  json,
  listOf,
  named,
  narrowed,
  needed,
  nonEmptyText,
  numberFrom,
  objectOf,
  oneOf,
  openObjectOf,
  optional,
  recordOf,
  type Shape,
  secret,
  text,
  textLike,
  textOr,
  unchecked,
  unionOf,
  wholeNumber,
  wholeNumberFrom,
  withOneOf,
} from "./index.ts";

interface Track {
  readonly title: string;
  readonly year?: number;
}

type Sound = { readonly kind: "song"; readonly title: string } | { readonly kind: "noise" };

const track = objectOf<Track>({ title: needed(nonEmptyText), year: optional(wholeNumberFrom(1900)) });
const sound = unionOf<"kind", Sound>("kind", { song: { title: needed(text) }, noise: {} });
const even = narrowed(wholeNumberFrom(0), (value) => (Number(value) % 2 === 0 ? undefined : "it is odd"));

/** Problems as sentences about `x`. */
function tell(shape: Shape<unknown>, value: unknown): readonly string[] {
  return shape
    .problems(value, ["x"])
    .map(({ path, says, found }) => `${path.join(".")}${says}${found === undefined ? "" : ` (got ${found.value})`}`);
}

it.each<[Shape<unknown>, unknown]>([
  [text, ""],
  [nonEmptyText, " a"],
  [secret, "s"],
  [flag, false],
  [json, { a: [null] }],
  [textLike("a digit", "^\\d$"), "1"],
  [wholeNumberFrom(3), 3],
  [numberFrom(0.5), 0.5],
  [oneOf("a", "b"), "b"],
  [even, 4],
  [listOf(flag), [true]],
  [recordOf(flag), { "": true }],
  [recordOf(flag, nonEmptyText), { a: true }],
  [textOr(nonEmptyText, track), "a"],
  [textOr(nonEmptyText, track), { title: "a" }],
  [track, { title: "a", year: undefined }],
  [sound, { kind: "noise" }],
  [withOneOf(track, "title", "year"), { title: "a" }],
  [wholeNumber, -3],
  [unchecked(), undefined],
  [listOf(flag, 1), [true]],
  [openObjectOf<Track>({ title: needed(text), year: optional(wholeNumber) }), { title: "a", length: 3 }],
])("a value that fits has no problems", (shape, value) => {
  expect(tell(shape, value)).toEqual([]);
});

it.each<[Shape<unknown>, unknown, readonly string[]]>([
  [text, 1, ["x must be a string (got 1)"]],
  [nonEmptyText, " ", ['x must be a non-empty string (got " ")']],
  [nonEmptyText, "", ['x must be a non-empty string (got "")']],
  [secret, [], ["x must be a non-empty string"]],
  [flag, "yes", ['x must be true or false (got "yes")']],
  [json, undefined, ["x must be any JSON (got undefined)"]],
  [textLike("a digit", "^\\d$"), "x".repeat(61), ["x must be a digit (got a string)"]],
  [wholeNumberFrom(3), 2.5, ["x must be a whole number of at least 3 (got 2.5)"]],
  [wholeNumberFrom(3), 2 ** 53, ["x must be a whole number of at least 3 (got 9007199254740992)"]],
  [numberFrom(0), Number.NaN, ["x must be a number of at least 0 (got NaN)"]],
  [oneOf("a", "b"), "c", ['x must be one of a, b (got "c")']],
  [even, 3, ["x: it is odd"]],
  [even, -1, ["x must be a whole number of at least 0 (got -1)"]],
  [listOf(flag), { 0: true }, ["x must be an array (got an object)"]],
  [listOf(flag), [true, 1, null], ["x.1 must be true or false (got 1)", "x.2 must be true or false (got null)"]],
  [
    recordOf(flag, nonEmptyText),
    { " ": 1 },
    ["x.  is not a valid key: a key must be a non-empty string", "x.  must be true or false (got 1)"],
  ],
  [track, "a secret", ["x must be an object (got a string)"]],
  [track, { yaer: 1 }, ["x.title is required", "x.yaer is not known (the nearest is `year`)"]],
  [sound, { kind: "silence" }, ['x.kind must be one of song, noise (got "silence")']],
  [sound, { kind: "noise", title: "a" }, ["x.title is not known"]],
  [wholeNumber, 0.5, ["x must be a whole number (got 0.5)"]],
  [listOf(flag, 1), [true, 1], ["x must have at most 1 items"]],
  [
    openObjectOf<Track>({ title: needed(text), year: optional(wholeNumber) }),
    { year: "old" },
    ["x.title is required", 'x.year must be a whole number (got "old")'],
  ],
  [
    withOneOf(track, "title", "year"),
    { title: "a", year: 1999 },
    ["x must have exactly one of `title` and `year` (got 2)"],
  ],
])("everything that does not fit is told with its place", (shape, value, problems) => {
  expect(tell(shape, value)).toEqual(problems);
});

describe("what was found", () => {
  const typeOf = (shape: Shape<unknown>, value: unknown) => shape.problems(value, [])[0]?.found?.type;

  it("can be told without what is in it", () => {
    expect(typeOf(flag, "a secret")).toBe("a string");
    expect(typeOf(wholeNumberFrom(1), 0)).toBe("0");
    expect(typeOf(listOf(flag), "a secret")).toBe("a string");
  });

  it("is not worth telling where only the text is wrong", () => {
    expect([typeOf(oneOf("a"), "a secret"), typeOf(nonEmptyText, "")]).toEqual([undefined, undefined]);
    expect(typeOf(oneOf("a"), 1)).toBe("1");
  });
});

describe("an object whose fields have several names", () => {
  const song = openObjectOf<Track>({
    title: named(needed(nonEmptyText), "songTitle", "title"),
    year: optional(wholeNumber),
  });

  it("lists them for readers, and has all of them in its schema, none of them required", () => {
    expect(song.names).toEqual({ title: ["songTitle", "title"], year: ["year"] });
    const title = nonEmptyText.schema;
    expect(song.schema).toEqual({
      type: "object",
      properties: { songTitle: title, title, year: { type: "integer" } },
    });
  });
});

it("a problem is a sentence that begins with its path, and has the code of its rule", () => {
  const even = narrowed(wholeNumber, (value) => (Number(value) % 2 === 0 ? undefined : "it is odd"), "ODD");
  const [problem] = recordOf(listOf(even)).problems({ a: [2, 3] }, []);
  expect(problem?.code).toBe("ODD");
  expect(problem && describeProblem(problem)).toBe("a[1]: it is odd");
});
