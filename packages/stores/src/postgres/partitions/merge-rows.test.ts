import fc from "fast-check";
import { expect, it } from "vitest";
import { mergeRows, type ReadList } from "./merge-rows.ts";

function listOf(rows: readonly number[]): ReadList<number> {
  return async ({ offset, limit }) => ({ rows: rows.slice(offset, offset + limit), total: rows.length });
}

const sorted = fc
  .array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 })
  .map((rows) => rows.toSorted((a, b) => a - b));

it("cuts every page from the one list that all have together", async () => {
  const property = fc.asyncProperty(
    fc.array(sorted, { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 1, max: 20 }),
    async (lists, limit) => {
      const whole = lists.flat().sort((one, other) => one - other);
      const pages: number[] = [];
      for (let offset = 0; offset < whole.length + limit; offset += limit) {
        const { rows, total } = await mergeRows(lists.map(listOf), (one, other) => one - other, { offset, limit });
        expect(total).toBe(whole.length);
        pages.push(...rows);
      }
      expect(pages).toEqual(whole);
    },
  );
  await fc.assert(property);
});

it("reads on in lists that are longer than what is held of them", async () => {
  const lists = [0, 1].map((rest) => listOf(Array.from({ length: 1_000 }, (_, index) => 2 * index + rest)));
  const { rows, total } = await mergeRows(lists, (one, other) => one - other, { offset: 1_500, limit: 200 });
  expect(total).toBe(2_000);
  expect(rows).toEqual(Array.from({ length: 200 }, (_, index) => 1_500 + index));
});

it("reads nothing more for a page behind the end", async () => {
  let reads = 0;
  const list: ReadList<number> = async (cut) => {
    reads += 1;
    return listOf([1, 2, 3])(cut);
  };
  const page = await mergeRows([list, list], (one, other) => one - other, { offset: 1e15, limit: 200 });
  expect([page, reads]).toEqual([{ rows: [], total: 6 }, 2]);
});
