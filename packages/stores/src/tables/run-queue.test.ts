import fc from "fast-check";
import { expect, it } from "vitest";
import type { EntryRow } from "../kernel/rows.ts";
import type { EntryCell } from "./cells.ts";
import { RunQueue } from "./run-queue.ts";

const entry = fc.record({
  priority: fc.integer({ min: -1, max: 1 }),
  available_at: fc.nat(20),
  attempts: fc.constantFrom(0, 0, 1),
  busy_policy: fc.constantFrom("enqueue", "continue"),
  agent_id: fc.constantFrom("a", "b", "c"),
});

function cellOf(parts: object, arrival: number): EntryCell {
  // Only what the queue looks at.
  return { order: arrival, row: { arrival, entry: parts } as unknown as EntryRow };
}

it("knows its heads and times as a look at all of it would", () => {
  const change = fc.record({ parts: entry, removes: fc.option(fc.nat(30), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.nat(20), (changes, now) => {
      const queue = new RunQueue();
      const model: EntryCell[] = [];
      for (const [arrival, { parts, removes }] of changes.entries()) {
        const cell = cellOf(parts, arrival);
        queue.add(cell);
        model.push(cell);
        const [removed] = removes === undefined ? [] : model.splice(removes, 1);
        if (removed !== undefined) queue.remove(removed);
      }
      const turns = model.toSorted(
        ({ row }, { row: other }) => other.entry.priority - row.entry.priority || row.arrival - other.arrival,
      );
      const continuing = turns.filter(({ row }) => row.entry.busy_policy === "continue");
      const isAvailable = ({ row }: EntryCell): boolean => row.entry.available_at <= now;
      const heads = [
        turns.find(isAvailable),
        continuing.find(isAvailable),
        turns.find((cell) => cell.row.entry.attempts > 0 && !isAvailable(cell)),
      ];
      expect([...queue.all]).toEqual(turns);
      expect(queue.heads(now)).toEqual(heads.filter((cell) => cell !== undefined));
      const agents = turns.map(({ row }) => row.entry.agent_id).toSorted();
      expect(queue.rows).toEqual({
        next_at: earliest(turns),
        next_continue_at: earliest(continuing),
        first_agent: agents[0] ?? null,
        last_agent: agents.at(-1) ?? null,
      });
    }),
  );
});

function earliest(cells: readonly EntryCell[]): number | null {
  return cells.length === 0 ? null : Math.min(...cells.map(({ row }) => row.entry.available_at));
}
