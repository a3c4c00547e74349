import { usd } from "@reprise/contracts";
import { expect, it } from "vitest";
import { soon } from "../support/wait.ts";
import { openStudio, PICTURE } from "./support/open-studio.ts";

const priced = { spec: { pricing: { media_per_unit: 0.04 } } };

it("takes the price of one from the run's budget, and nothing is made beyond it", async () => {
  const { runtime, asked } = await openStudio(priced);
  const paint = (limit: number) =>
    soon(runtime.runToCompletion({ agent: "painter", input: "A fox.", budget: { limitMicrocents: limit } }));
  expect(await paint(usd(0.04))).toMatchObject({ status: "done" });
  expect(await paint(usd(0.04) - 1)).toMatchObject({ status: "failed", code: "BUDGET_EXCEEDED" });
  expect(asked).toHaveLength(1);
});

it("makes nothing of unknown price under a limit in money, unless the budget says so", async () => {
  const { runtime, asked } = await openStudio();
  const paint = (unpriced: "refuse" | "warn") =>
    soon(runtime.runToCompletion({ agent: "painter", input: "A fox.", budget: { limitMicrocents: 100, unpriced } }));
  expect(await paint("refuse")).toMatchObject({ status: "failed", code: "MODEL_UNPRICED" });
  expect(asked).toEqual([]);
  expect(await paint("warn")).toMatchObject({ status: "done" });
});

it("spends what it cost, by the units it came to", async () => {
  const generate = async () => ({ content: PICTURE, media_type: "image/png", units: 2 });
  const { runtime } = await openStudio({ ...priced, generate });
  const run = await runtime.start({ agent: "painter", input: "A fox.", budget: { limitMicrocents: usd(1) } });
  await soon(run.outcome());
  expect(await runtime.budgets.get(run.id)).toMatchObject({ spent: { microcents: usd(0.08), tokens: 0 } });
});

it("asks the embedder first", async () => {
  const { paint, asked } = await openStudio({
    options: {
      beforeModelAttempt: ({ model }) => {
        throw new Error(`not ${model}`);
      },
    },
  });
  expect((await paint("A fox.")).outcome).toMatchObject({ status: "failed" });
  expect(asked).toEqual([]);
});

it("is replayed without being made again", async () => {
  const { runtime, paint, asked } = await openStudio(priced);
  const { run } = await paint("A fox.");
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  expect(asked).toHaveLength(1);
  const refused = await runtime.submit({ agent_id: "painter", messages: [{ role: "user", content: " " }] });
  expect(await soon(refused.outcome())).toMatchObject({ code: "INVALID_REQUEST" });
  expect(await runtime.replay(refused.id)).toMatchObject({ equal: true });
});
