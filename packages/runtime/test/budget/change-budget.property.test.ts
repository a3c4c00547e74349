import type { Amount, Budget, OnExceeded } from "@reprise/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { committedOf, UNITS } from "../../src/budget/budget-room.ts";
import {
  type Attempt,
  type BudgetChange,
  changeBudget,
  completeBudget,
  openBudget,
} from "../../src/budget/change-budget.ts";

const amount: fc.Arbitrary<Amount> = fc.record({ microcents: fc.nat(100), tokens: fc.nat(100) });
const place = fc.tuple(
  fc.constantFrom("a", "b", "a-e1"),
  fc.integer({ min: 1, max: 3 }),
  fc.constantFrom("s1a1", "s1a2", "a-s1-before_inference/judge/0a1"),
);
const attempt = place.map(([run_id, epoch, name]): Attempt => ({ run_id, epoch, name }));
const runs = fc.constantFrom("a", "b", "a-e1", "c");
const allotted = fc.option(runs, { nil: undefined }).map((id) => (id === undefined ? {} : { allotment: id }));

const range = fc.record({
  least: fc.nat(20),
  most: fc.integer({ min: 20, max: 500 }),
  microcents: fc.nat(30).map((tenths) => tenths / 10),
});

const limits = fc.record(
  { limit_microcents: fc.nat(150), limit_tokens: fc.nat(150), limit_tool_calls: fc.nat(5) },
  { requiredKeys: [] },
);

/** The runs that may give each run its part, so that no part is a part of itself. */
const PARENTS: { readonly [runId: string]: readonly (string | undefined)[] } = {
  a: [undefined],
  b: [undefined, "a"],
  "a-e1": [undefined, "a", "b"],
  c: [undefined, "a", "b", "a-e1"],
};

const allot: fc.Arbitrary<BudgetChange> = runs.chain((run_id) =>
  fc.tuple(fc.constantFrom(...(PARENTS[run_id] ?? [])), limits).map(
    ([above, given]): BudgetChange => ({
      type: "allot",
      run_id,
      given_by: above ?? "root",
      ...(above !== undefined && { above }),
      limits: given,
    }),
  ),
);

const settled: fc.Arbitrary<BudgetChange> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(attempt, amount, allotted)
      .map(([id, cost, part]): BudgetChange => ({ type: "reserve", attempt: id, amount: cost, ...part })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(attempt, amount, range, allotted)
      .map(
        ([id, cost, answer, part]): BudgetChange => ({ type: "reserve", attempt: id, amount: cost, answer, ...part }),
      ),
  },
  {
    weight: 4,
    // An answer never takes more than was reserved for it: that is what is reserved.
    arbitrary: fc.record({ type: fc.constant("settle" as const), attempt, amount: fc.constant(null) }),
  },
  { weight: 3, arbitrary: allot },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("return" as const), run_id: runs }) },
  fc.record({ type: fc.constant("take_over" as const), run_id: runs, epoch: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    type: fc.constant("tell" as const),
    notice: fc.constantFrom("unpriced" as const, "near_limit" as const),
  }),
);

/** A call counts as often as it is counted, so this change alone is not idempotent. */
const change: fc.Arbitrary<BudgetChange> = fc.oneof(
  { weight: 10, arbitrary: settled },
  { weight: 2, arbitrary: allotted.map((part): BudgetChange => ({ type: "count_call", ...part })) },
);

/** A part of a budget is given before the run that has it is started. */
function isPossible({ allotments }: Budget, next: BudgetChange): boolean {
  const named = next.type === "allot" ? next.above : "allotment" in next ? next.allotment : undefined;
  return named === undefined || allotments[named] !== undefined;
}

function play(budget: Budget, changes: readonly BudgetChange[], look: (step: ReturnType<typeof changeBudget>) => void) {
  let now = budget;
  for (const next of changes) {
    if (!isPossible(now, next)) continue;
    const step = changeBudget(now, next);
    look(step);
    now = step.budget;
  }
  return now;
}

const LIMITS = { limit_microcents: 150, limit_tokens: 150, limit_tool_calls: 5 };

it("never has more spent, reserved and set aside than its limits, in any order of events", () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      fc.constantFrom<OnExceeded>("fail", "pause"),
      (changes, on_exceeded) => {
        play(openBudget({ ...LIMITS, on_exceeded }), changes, ({ budget }) => {
          for (const unit of UNITS)
            expect(committedOf(budget, undefined, unit)).toBeLessThanOrEqual(LIMITS[`limit_${unit}`]);
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
    fc.property(fc.array(change, { maxLength: 20 }), settled, (changes, last) => {
      const before = play(openBudget(LIMITS), changes, () => undefined);
      fc.pre(isPossible(before, last));
      const once = changeBudget(before, last).budget;
      expect(changeBudget(once, last).budget).toEqual(once);
    }),
  );
});

it("gives the reservations of a run to its next owner as spent, and leaves those of others alone", () => {
  const held = [
    { run_id: "a", epoch: 1, name: "s1a1" },
    { run_id: "a", epoch: 1, name: "a-e1-run_start/judge/0a1" },
    { run_id: "a", epoch: 2, name: "s1a1" },
    { run_id: "a-e1", epoch: 1, name: "s1a1" },
    { run_id: "b", epoch: 1, name: "s1a1" },
  ];
  const reserved = play(
    openBudget({ limit_tokens: 100 }),
    held.map((attempt) => ({ type: "reserve", attempt, amount: { microcents: 0, tokens: 10 } })),
    () => undefined,
  );
  const { budget } = changeBudget(reserved, { type: "take_over", run_id: "a", epoch: 2 });
  const left = Object.values(budget.reserved).map(({ run_id, epoch }) => ({ run_id, epoch }));
  expect([left, budget.spent.tokens]).toEqual([held.slice(2).map(({ run_id, epoch }) => ({ run_id, epoch })), 20]);
});

it("knows the runs of reservations that were stored before they named them", () => {
  const whole = { microcents: 0, tokens: 10 };
  const ids = ["a-e1-s1a1", "a-e1-e2-s1a1", "a-e1-a-s1-before_inference/judge/0a1"];
  const reserved = Object.fromEntries(ids.map((id) => [id, whole]));
  // As an earlier version stored it.
  const stored = { ...openBudget({ limit_tokens: 100 }), reserved } as unknown as Budget;
  const { budget } = changeBudget(completeBudget(stored), { type: "take_over", run_id: "a", epoch: 2 });
  expect([Object.keys(budget.reserved), budget.spent.tokens]).toEqual([["a-e1-e2-s1a1"], 20]);
});

describe("an allotment", () => {
  it("is never exceeded, also below a budget that only warns and after it was returned", () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 40 }),
        fc.constantFrom<OnExceeded>("fail", "pause", "warn"),
        (changes, on_exceeded) => {
          play(openBudget({ ...LIMITS, on_exceeded }), changes, ({ budget }) => {
            for (const [runId, part] of Object.entries(budget.allotments))
              for (const unit of UNITS)
                expect(committedOf(budget, runId, unit)).toBeLessThanOrEqual(
                  part[`limit_${unit}`] ?? Number.POSITIVE_INFINITY,
                );
          });
        },
      ),
    );
  });

  it("is returned whole: once every run is over, exactly what was spent is missing", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const worked = play(openBudget(LIMITS), changes, () => undefined);
        const over = [
          ...Object.values(worked.reserved).map(
            ({ run_id }): BudgetChange => ({ type: "take_over", run_id, epoch: Number.POSITIVE_INFINITY }),
          ),
          ...Object.keys(worked.allotments).map((run_id): BudgetChange => ({ type: "return", run_id })),
        ];
        const ended = play(worked, over, () => undefined);
        for (const unit of UNITS) expect(committedOf(ended, undefined, unit)).toBe(ended.spent[unit] ?? 0);
      }),
    );
  });

  it("can always be spent in full, whatever other runs of the tree spend", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const first = changeBudget(openBudget(LIMITS), {
          type: "allot",
          run_id: "kept",
          given_by: "root",
          limits: { limit_tokens: 60, limit_microcents: 60 },
        });
        const worked = play(first.budget, changes, () => undefined);
        const whole = { microcents: 60, tokens: 60 };
        const last = changeBudget(worked, {
          type: "reserve",
          attempt: { run_id: "kept", epoch: 1, name: "s1a1" },
          amount: whole,
          allotment: "kept",
        });
        expect(last.isRefused).toBe(false);
      }),
    );
  });

  it("counts what is spent in every part above it and in the budget", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const { allotments, spent } = play(openBudget({ limit_tokens: 10_000 }), changes, () => undefined);
        const spentBelow = (above: string | undefined): number =>
          Object.values(allotments).reduce((sum, part) => sum + (part.above === above ? part.spent.tokens : 0), 0);
        expect(spentBelow(undefined)).toBeLessThanOrEqual(spent.tokens);
        for (const [runId, part] of Object.entries(allotments))
          expect(spentBelow(runId)).toBeLessThanOrEqual(part.spent.tokens);
      }),
    );
  });
});
