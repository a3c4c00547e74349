import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findBudgetProblems } from "./find-budget-problems.ts";
import { findTreeProblems } from "./find-tree-problems.ts";
import { PlayedTree } from "./play-tree.ts";
import { describeTree, limitedTreeScenarios, type TreeScenario, treeScenarios } from "./tree-scenario.ts";

const TREES = process.env.REPRISE_FUZZ ? 10_000 : 500;
const LIMITED_TREES = process.env.REPRISE_FUZZ ? 5_000 : 100;
/** One tree in so many is replayed, every run of it. */
const REPLAYED_SHARE = 10;

async function findProblems(scenario: TreeScenario): Promise<readonly string[]> {
  const tree = new PlayedTree(scenario);
  const later = await tree.play();
  const problems = [...(await findTreeProblems(tree)), ...(await findBudgetProblems(tree, later))];
  if (problems.length > 0 || scenario.seed % REPLAYED_SHARE !== 0) return problems;
  for (const { run_id } of await tree.runs()) {
    const result = await later.replay(run_id);
    if (!result.equal) problems.push(`The replay of ${run_id} differs: ${JSON.stringify(result.divergence)}`);
  }
  return problems;
}

it("random trees of runs come to their end with the right totals, however few the slots", {
  timeout: 7_200_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(treeScenarios, async (scenario) => {
      const problems = await findProblems(scenario);
      if (problems.length > 0) throw new Error(`${problems.slice(0, 5).join("\n")}\n${describeTree(scenario)}`);
    }),
    { numRuns: TREES },
  );
  expect(TREES).toBeGreaterThan(0);
});

it("random trees with limits come to their end, with nothing set aside any more, no limit exceeded and everything paid", {
  timeout: 7_200_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(limitedTreeScenarios, async (scenario) => {
      const problems = await findProblems(scenario);
      if (problems.length > 0) throw new Error(`${problems.slice(0, 5).join("\n")}\n${describeTree(scenario)}`);
    }),
    { numRuns: LIMITED_TREES },
  );
});

describe("a tree with limits", () => {
  const leaf = { parent: 0, depth: 1, turn: 0, isBackground: false, work: "nothing", fails: false } as const;
  const root = { ...leaf, id: 0, parent: undefined, depth: 0 };
  const rest = { seed: 0, processes: 1, slots: 1, pool: 1, isConcurrent: false, latency: 0 };

  it("comes to its end when its process dies in the last calls that it may make", async () => {
    for (let after = 0; after < 10; after += 1) {
      const scenario: TreeScenario = {
        ...rest,
        nodes: [root, { ...leaf, id: 1 }, { ...leaf, id: 2 }],
        events: [{ do: "kill", pick: 0, after }],
        budget: { limit_tool_calls: 2 },
      };
      expect(await findProblems(scenario), describeTree(scenario)).toEqual([]);
    }
  });

  it("keeps nothing set aside for a task in the queue when the time is over just as the run above ends", async () => {
    const nodes = [
      root,
      { ...leaf, id: 1, turn: 1, isBackground: true, limits: { limitToolCalls: 0 } },
      { ...leaf, id: 2, limits: { limitMs: 100 } },
      { ...leaf, id: 3, parent: 1, depth: 2 },
    ];
    const budget = { limit_tokens: 15_000, limit_ms: 5_000 };
    const scenario: TreeScenario = { ...rest, seed: 356_231, latency: 1, nodes, events: [], budget };
    expect(await findProblems(scenario), describeTree(scenario)).toEqual([]);
  });

  it("verifies by replay when the time of a run is over before it begins", async () => {
    const nodes = [root, { ...leaf, id: 1, limits: { limitMs: 1 } }];
    const scenario: TreeScenario = { ...rest, latency: 2, nodes, events: [], budget: { limit_tokens: 300_000 } };
    expect(await findProblems(scenario), describeTree(scenario)).toEqual([]);
  });
});

it("a run that answered its call and lost its process ends as it answered, also when the run above is over first", async () => {
  const leaf = { parent: 0, depth: 1, turn: 0, isBackground: false, work: "nothing", fails: false } as const;
  const root = { ...leaf, id: 0, parent: undefined, depth: 0 };
  const nodes = [root, ...[1, 2, 3, 4].map((id) => ({ ...leaf, id }))];
  const rest = { seed: 0, processes: 2, slots: 1, pool: 1, isConcurrent: false, latency: 1 };
  // Where the process has to die depends on how many turns everything takes.
  for (let after = 24; after < 44; after += 1) {
    const scenario: TreeScenario = { ...rest, nodes, events: [{ do: "kill", pick: 1, after }] };
    expect(await findProblems(scenario), describeTree(scenario)).toEqual([]);
  }
});
