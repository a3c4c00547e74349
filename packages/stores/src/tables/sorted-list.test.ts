import fc from "fast-check";
import { expect, it } from "vitest";
import { SortedList } from "./sorted-list.ts";

const byNumber = (item: number, other: number): number => item - other;

it("is what sorting what is in it would give, after any additions and removals", () => {
  const change = fc.record({ item: fc.nat(40), adds: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), fc.nat(41), (changes, probe) => {
      const list = new SortedList<number>(byNumber);
      const model = new Set<number>();
      for (const { item, adds } of changes) {
        if (adds && !model.has(item)) {
          list.add(item);
          model.add(item);
        } else if (!adds) {
          list.remove(item);
          model.delete(item);
        }
      }
      const sorted = [...model].toSorted(byNumber);
      expect([...list]).toEqual(sorted);
      expect([list.size, list.first]).toEqual([sorted.length, sorted[0]]);
      expect(list.after(probe, 3)).toEqual(sorted.filter((item) => item > probe).slice(0, 3));
      expect(list.findLast((item) => item <= probe)).toBe(sorted.findLast((item) => item <= probe));
    }),
  );
});
