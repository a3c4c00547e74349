import { describe, expect, it } from "vitest";
import { copyObject, copyWithout } from "./copy-object.ts";

/** One size for each of the three ways to copy. */
describe.each([3, 50, 500])("an object of %i keys", (size) => {
  const entries = Array.from({ length: size }, (_, index) => [`key${index}`, index] as const);

  it("is copied with all its keys into a plain object", () => {
    const object = Object.fromEntries(entries);
    const copy = copyObject(object);
    expect(copy).toEqual(object);
    expect(copy).not.toBe(object);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.keys(copy)).toEqual(Object.keys(object));
  });

  it("keeps an own __proto__ key an own key", () => {
    const object = JSON.parse(`{"__proto__":{"polluted":true},${JSON.stringify(Object.fromEntries(entries)).slice(1)}`);
    for (const copy of [copyObject(object), copyWithout(object, "key1")]) {
      expect(Object.hasOwn(copy, "__proto__")).toBe(true);
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect("polluted" in copy).toBe(false);
    }
  });

  it("is copied without one key", () => {
    const copy = copyWithout(Object.fromEntries(entries), "key1");
    expect(Object.keys(copy)).toEqual(entries.map(([key]) => key).filter((key) => key !== "key1"));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});
