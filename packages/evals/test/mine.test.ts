import { createRuntime, memory, scriptedModel } from "reprise";
import { permission } from "reprise/plugins/permission";
import { expect, it } from "vitest";
import { mineRuns, readCandidate } from "../src/index.ts";
import { env, openShop, SCRIPT, shopAgent, silent } from "./support/shop.ts";

async function openHistory() {
  const store = memory();
  const shop = openShop();
  const runtime = await createRuntime({
    agents: [shopAgent({ model: scriptedModel(SCRIPT), tools: shop.tools })],
    store,
  });
  for (const threadId of ["t1", "t2"]) await runtime.runToCompletion({ agent: "shop", threadId, input: "Refund a1." });
  await runtime.close();
  // From here on every question to a model and every call of a tool would be seen.
  const asked: string[] = [];
  const watched = {
    ...silent,
    stream: () => {
      asked.push("model");
      return silent.stream({} as never);
    },
  };
  const called = [...shop.called];
  const agents = [shopAgent({ model: watched, tools: shop.tools })];
  const later = await createRuntime({ agents, store });
  const mine = (candidate: object) =>
    mineRuns({
      runtime: later,
      definitions: { agents },
      candidate: readCandidate(candidate),
      permission: permission({ default: "allow" }),
      env,
    });
  const assertUntouched = async () => {
    await later.close();
    expect([asked, shop.called]).toEqual([[], called]);
  };
  return { mine, assertUntouched };
}

it("lists what other rules would ask about, deny or stop, and asks no model and calls no tool for it", async () => {
  const { mine, assertUntouched } = await openHistory();
  const nothing = await mine({});
  expect(nothing).toMatchObject({ runs: 2, differing: [], skipped: [] });
  expect(nothing.counts).toEqual({ model_calls: 0, tool_calls: 0, recorded_answers: 6, recorded_results: 4 });

  const refund = { tool: "refund", arguments: { id: "a1", amount: 20 } };
  const rule = (behavior: string) => ({ permission: { default: "allow", rules: [{ tool: "refund", behavior }] } });
  const asking = await mine(rule("ask"));
  expect(asking.differing.map(({ differences }) => differences)).toEqual([
    [{ kind: "asked", ...refund }],
    [{ kind: "asked", ...refund }],
  ]);
  const denying = await mine(rule("deny"));
  expect(denying.totals).toMatchObject({ denied: 2, asked: 0, stopped: 0 });
  expect((await mine({ excluded_tools: ["refund"] })).totals.denied).toBe(2);

  const stopping = await mine({ budget: { limit_tokens: 120 } });
  expect(stopping.differing.map(({ differences }) => differences.at(-1))).toEqual([
    { kind: "stopped", before: "natural", after: "error" },
    { kind: "stopped", before: "natural", after: "error" },
  ]);
  expect([asking, denying, stopping].map(({ counts }) => [counts.model_calls, counts.tool_calls])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  await assertUntouched();
});

it("refuses a policy that is none before it plays anything", async () => {
  const { mine } = await openHistory();
  expect(() => readCandidate({ permision: {} }, "new.json")).toThrow(/new\.json is not valid: permision/);
  await expect(mine({ permission: { rules: [{ tool: "x", behavior: "maybe" }] } })).rejects.toMatchObject({
    name: "RepriseError",
  });
});
