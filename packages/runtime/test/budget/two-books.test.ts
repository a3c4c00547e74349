import { expect, it } from "vitest";
import { BudgetBook } from "../../src/budget/budget-book.ts";
import { openRuntime } from "../support/open-runtime.ts";

it("a part that another process set aside is returned by one that saw the budget before", async () => {
  const { runtime, store } = await openRuntime({ script: ["ok"] });
  const run = await runtime.start({ agent: "agent", input: "go", budget: { limitTokens: 100_000 } });
  await run.outcome();
  const [here, there] = [new BudgetBook(store), new BudgetBook(store)];
  const attempt = { run_id: "other", epoch: 1, name: "s1a1" };
  await here.change("default", run.id, { type: "reserve", attempt, amount: { microcents: 0, tokens: 10 } });
  const limits = { limit_tokens: 5_000 };
  await there.change("default", run.id, { type: "allot", run_id: "child", given_by: run.id, limits });
  const { budget } = await here.change("default", run.id, { type: "return", run_id: "child" });
  expect(budget.allotments.child).toMatchObject({ held: false });
  expect((await runtime.budgets.get(run.id)).allotments.child).toMatchObject({ held: false });
});
