import { expect, it } from "vitest";
import { namedPlace, placedId, placeOfThread } from "./place-of-id.ts";

it.each([
  ["p1~5d0f", 1],
  ["sub-agent-p1~child-77", 1],
  ["p1~5d0f-s1-c0", 1],
  ["p1~p2~5d0f", 1],
  ["5d0f", undefined],
  ["p3~5d0f", undefined],
  ["step1~5d0f", undefined],
  ["p1-5d0f", undefined],
])("reads the database that the id %s names among three", (id, place) => {
  expect(namedPlace(id, 3)).toBe(place);
});

it("puts what has a placed id where that says, whatever the tenant", () => {
  for (const place of [0, 1, 2]) expect(placeOfThread("anybody", placedId("thread", place), 3)).toBe(place);
});

it("spreads threads over all databases, and tells tenants apart", () => {
  const counts = [0, 0, 0, 0];
  for (let index = 0; index < 4_000; index += 1) {
    const place = placeOfThread("tenant", `thread-${index}`, 4);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
  const places = Array.from({ length: 40 }, (_, index) => placeOfThread(`tenant-${index}`, "thread", 4));
  expect(new Set(places).size).toBe(4);
});

// The place of a thread is stored nowhere: a version that hashes another way would not find it any more.
it("has a thread where every version had it", () => {
  const places = ["a", "b", "c", "thread-1", "thread-2"].map((id) => placeOfThread("default", id, 8));
  expect(places).toEqual([4, 3, 6, 2, 6]);
});
