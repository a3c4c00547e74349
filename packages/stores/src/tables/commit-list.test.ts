import fc from "fast-check";
import { expect, it } from "vitest";
import type { CommitCell } from "./cells.ts";
import { CommitList } from "./commit-list.ts";

/** Commits with so many messages each; those with none here are lost. */
const commits = fc.array(fc.option(fc.nat(3), { nil: undefined }), { maxLength: 20 });

function cellsOf(counts: readonly (number | undefined)[]): readonly CommitCell[] {
  let position = 0;
  return counts.flatMap((count, index) => {
    if (count === undefined) {
      position += 2;
      return [];
    }
    const first_position = position;
    position += count;
    // Only what the list looks at.
    return [{ version: index + 1, first_position, message_count: count } as CommitCell];
  });
}

it("finds commits by version and by the positions of their messages, as a look at all of them would", () => {
  fc.assert(
    fc.property(commits, fc.nat(21), fc.nat(21), fc.constantFrom("asc", "desc"), (counts, first, last, order) => {
      const cells = cellsOf(counts);
      const list = new CommitList();
      for (const cell of cells) list.add(cell);
      expect(list.get(first)).toBe(cells.find(({ version }) => version === first));
      expect(list.range(first, last)).toEqual(cells.filter(({ version }) => version > first && version <= last));
      const found = cells.filter(
        (cell) =>
          cell.message_count > 0 && cell.first_position <= last && cell.first_position + cell.message_count > first,
      );
      expect([...list.withMessages(first, last, order)]).toEqual(order === "asc" ? found : found.toReversed());
    }),
  );
});
