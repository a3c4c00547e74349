import { it } from "vitest";
import { listOf, needed, nonEmptyText, objectOf, oneOf, optional, text, unionOf, wholeNumberFrom } from "./index.ts";

interface Song {
  readonly title: string;
  readonly year?: number;
  readonly tags?: readonly string[];
}

type Sound = { readonly kind: "song"; readonly title: string } | { readonly kind: "noise" };

it("a description has the fields of its interface, and no others", () => {
  objectOf<Song>({
    title: needed(nonEmptyText),
    year: optional(wholeNumberFrom(0)),
    tags: optional(listOf(oneOf("old", "new"))),
  });
  // @ts-expect-error One is missing.
  objectOf<Song>({ title: needed(text), year: optional(wholeNumberFrom(0)) });
  const more = { title: needed(text), year: optional(wholeNumberFrom(0)), tags: optional(listOf(text)) };
  // @ts-expect-error One is too many.
  objectOf<Song>({ ...more, length: optional(wholeNumberFrom(0)) });
  // @ts-expect-error One is needed.
  objectOf<Song>({ ...more, title: optional(text) });
  // @ts-expect-error One may be left out.
  objectOf<Song>({ ...more, year: needed(wholeNumberFrom(0)) });
  // @ts-expect-error One is something else.
  objectOf<Song>({ ...more, year: optional(text) });
});

it("a union has a variant for every word", () => {
  unionOf<"kind", Sound>("kind", { song: { title: needed(text) }, noise: {} });
  // @ts-expect-error One is missing.
  unionOf<"kind", Sound>("kind", { song: { title: needed(text) } });
});
