import fc from "fast-check";
import { expect, it } from "vitest";
import { type ItemPosition, LineContent, readItem } from "./line-content.ts";

const NAMES = ["one", "another", "third"] as const;

it("is JSON, and gives every text back as it was added", () => {
  const text = fc.oneof(fc.constant(""), fc.json());
  const item = fc.record({ one: text, another: text, third: text });
  fc.assert(
    fc.property(fc.array(item, { minLength: 1 }), (items) => {
      const content = new LineContent();
      const places = items.map((texts): ItemPosition => content.add(NAMES, texts));
      const written = content.text ?? "";
      expect(JSON.parse(written)).toHaveLength(items.length);
      expect(places.map((place) => readItem(written, place, NAMES))).toEqual(items);
    }),
  );
});

it("has no text when nothing was added", () => {
  expect(new LineContent().text).toBeUndefined();
});
