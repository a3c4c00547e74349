import type { Amount, Budget, OnExceeded } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  attemptIdOf,
  type BudgetChange,
  changeBudget,
  committedOf,
  openBudget,
} from "../../src/budget/change-budget.ts";

const amount: fc.Arbitrary<Amount> = fc.record({ microcents: fc.nat(100), tokens: fc.nat(100) });
const place = fc.tuple(
  fc.constantFrom("a", "b", "a-e1"),
  fc.integer({ min: 1, max: 3 }),
  fc.constantFrom("s1a1", "s1a2"),
);
const attempt = place.map(([run, epoch, name]) => attemptIdOf(run, epoch, name));

const range = fc.record({
  least: fc.nat(20),
  most: fc.integer({ min: 20, max: 500 }),
  microcents: fc.nat(30).map((tenths) => tenths / 10),
});

const change: fc.Arbitrary<BudgetChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("reserve" as const), attempt, amount }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("reserve" as const), attempt, amount, answer: range }) },
  {
    weight: 4,
    // An answer never takes more than was reserved for it: that is what is reserved.
    arbitrary: fc.record({ type: fc.constant("settle" as const), attempt, amount: fc.constant(null) }),
  },
  fc.record({
    type: fc.constant("take_over" as const),
    run_id: fc.constantFrom("a", "b", "a-e1"),
    epoch: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    type: fc.constant("tell" as const),
    notice: fc.constantFrom("unpriced" as const, "near_limit" as const),
  }),
);

function play(budget: Budget, changes: readonly BudgetChange[], look: (step: ReturnType<typeof changeBudget>) => void) {
  let now = budget;
  for (const next of changes) {
    const step = changeBudget(now, next);
    look(step);
    now = step.budget;
  }
  return now;
}

const LIMITS = { limit_microcents: 150, limit_tokens: 150 };

it("never has more spent and reserved than its limits, in any order of events", () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      fc.constantFrom<OnExceeded>("fail", "pause"),
      (changes, on_exceeded) => {
        play(openBudget({ ...LIMITS, on_exceeded }), changes, ({ budget }) => {
          const { microcents, tokens } = committedOf(budget);
          expect(microcents).toBeLessThanOrEqual(LIMITS.limit_microcents);
          expect(tokens).toBeLessThanOrEqual(LIMITS.limit_tokens);
        });
      },
    ),
  );
});

it("forgets nothing that was spent, and says everything once", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      let before = 0;
      const told: string[] = [];
      play(openBudget({ ...LIMITS, on_exceeded: "warn" }), changes, (step) => {
        expect(step.budget.spent.tokens).toBeGreaterThanOrEqual(before);
        before = step.budget.spent.tokens;
        told.push(...step.told);
      });
      expect(new Set(told).size).toBe(told.length);
    }),
  );
});

it("takes a change made twice as made once, except where something is asked for anew", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), change, (changes, last) => {
      const before = play(openBudget(LIMITS), changes, () => undefined);
      const once = changeBudget(before, last).budget;
      expect(changeBudget(once, last).budget).toEqual(once);
    }),
  );
});

it("gives the reservations of a run to its next owner as spent, and leaves those of others alone", () => {
  const held = ["a-e1-s1a1", "a-e2-s1a1", "a-e1-e1-s1a1", "b-e1-s1a1"];
  const reserved = play(
    openBudget({ limit_tokens: 100 }),
    held.map((id) => ({ type: "reserve", attempt: id, amount: { microcents: 0, tokens: 10 } })),
    () => undefined,
  );
  const { budget } = changeBudget(reserved, { type: "take_over", run_id: "a", epoch: 2 });
  expect([Object.keys(budget.reserved), budget.spent.tokens]).toEqual([held.slice(1), 10]);
});
