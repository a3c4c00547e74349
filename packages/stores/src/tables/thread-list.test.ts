import fc from "fast-check";
import { expect, it } from "vitest";
import { ThreadList } from "./thread-list.ts";
import type { ThreadTables } from "./thread-tables.ts";

// Only what the list looks at.
const THREADS = Array.from(
  { length: 20 },
  (_, index) => ({ tenant: { tenant: index % 2 === 0 ? "a" : "b" }, threadId: `t${index}` }) as ThreadTables,
);

function nameOf({ tenant: { tenant }, threadId }: ThreadTables): string {
  return `${tenant}/${threadId}`;
}

it("pages through the threads that are there by their names, whatever came and went between two pages", () => {
  const change = fc.record({ index: fc.nat(19), adds: fc.boolean(), reads: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.nat(19), (changes, probe) => {
      const list = new ThreadList();
      const model = new Set<ThreadTables>();
      const [from = expect.fail()] = THREADS.slice(probe);
      for (const { index, adds, reads } of changes) {
        const [thread = expect.fail()] = THREADS.slice(index);
        if (adds) list.add(thread);
        else list.remove(thread);
        if (adds) model.add(thread);
        else model.delete(thread);
        if (!reads) continue;
        const after = [...model].map(nameOf).filter((name) => name > nameOf(from));
        expect(list.after(from, 3).map(nameOf)).toEqual(after.toSorted().slice(0, 3));
      }
      expect(new Set(list)).toEqual(model);
    }),
  );
});
