import type { BudgetPolicy, RunLimits } from "@reprise/contracts";
import fc from "fast-check";

/** What a run of a tree does beside its delegating. */
export type NodeWork = "nothing" | "read" | "write" | "ask";

/** One agent of a tree: where it stands, and what it does. */
export interface TreeNode {
  /** Its place among the nodes; the first has none above it. */
  readonly id: number;
  readonly parent: number | undefined;
  readonly depth: number;
  /** In which turn of its parent it is started: those of one turn work beside each other. */
  readonly turn: number;
  readonly isBackground: boolean;
  readonly work: NodeWork;
  /** Whether its model refuses, so that the run fails. */
  readonly fails: boolean;
  /** What its parent gives it of the budget. */
  readonly limits?: RunLimits;
}

/** Something done to the tree from outside, after so many turns of the event loop. */
export type TreeEvent =
  | { readonly do: "cancel"; readonly pick: number; readonly after: number }
  | { readonly do: "kill"; readonly pick: number; readonly after: number };

export interface TreeScenario {
  readonly seed: number;
  readonly nodes: readonly TreeNode[];
  readonly processes: number;
  /** Runs at once in a process. */
  readonly slots: number;
  /** Calls at once in each pool. */
  readonly pool: number;
  /** Whether the calls of one turn that delegate are executed beside each other. */
  readonly isConcurrent: boolean;
  /** Turns of the event loop a store call may take, at most. */
  readonly latency: number;
  readonly events: readonly TreeEvent[];
  /** Of the run at the top. */
  readonly budget?: BudgetPolicy;
}

export const MAX_DEPTH = 5;
export const TURNS = 2;

const drafts = fc.array(
  fc.record({
    pick: fc.nat(100),
    turn: fc.nat(TURNS - 1),
    isBackground: fc.integer({ min: 0, max: 3 }).map((roll) => roll === 3),
    work: fc.constantFrom<NodeWork>("nothing", "nothing", "read", "write", "ask"),
    fails: fc.integer({ min: 0, max: 14 }).map((roll) => roll === 14),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Trees of up to 13 runs, up to five deep. Half of them are chains or fans: those saturate slots and pools. */
const trees: fc.Arbitrary<readonly TreeNode[]> = fc
  .tuple(drafts, fc.constantFrom("any", "any", "chain", "fan"))
  .map(([list, shape]) => {
    const nodes: TreeNode[] = [
      { id: 0, parent: undefined, depth: 0, turn: 0, isBackground: false, work: "nothing", fails: false },
    ];
    for (const { pick, ...draft } of list) {
      const possible = nodes.filter(({ depth }) => depth < MAX_DEPTH);
      const chosen = shape === "chain" ? possible.at(-1) : shape === "fan" ? possible[0] : undefined;
      const parent = chosen ?? possible[pick % possible.length];
      if (parent === undefined) continue;
      nodes.push({ ...draft, id: nodes.length, parent: parent.id, depth: parent.depth + 1 });
    }
    return nodes;
  });

const events: fc.Arbitrary<TreeEvent> = fc.record({
  do: fc.constantFrom("cancel" as const, "kill" as const),
  pick: fc.nat(20),
  after: fc.nat(120),
});

export const treeScenarios: fc.Arbitrary<TreeScenario> = fc.record({
  seed: fc.nat(1_000_000),
  nodes: trees,
  processes: fc.integer({ min: 1, max: 3 }),
  slots: fc.integer({ min: 1, max: 2 }),
  pool: fc.integer({ min: 1, max: 2 }),
  isConcurrent: fc.boolean(),
  latency: fc.nat(3),
  events: fc.oneof(fc.constant([]), fc.array(events, { maxLength: 2 })),
});

/** From too little for anything to more than enough. An answer alone has up to 16,384 tokens set aside. */
const someTokens = fc.constantFrom(20, 800, 3_000, 20_000, 60_000, 200_000);
const someCalls = fc.nat(6);
const someMs = fc.constantFrom(100, 1_500, 5_000, 60_000);

const limits: fc.Arbitrary<RunLimits> = fc.record(
  { limitTokens: someTokens, limitToolCalls: someCalls, limitMs: someMs },
  { requiredKeys: [] },
);

const budgets: fc.Arbitrary<BudgetPolicy> = fc
  .tuple(
    fc.record(
      { limit_tokens: someTokens.map((tokens) => tokens * 5), limit_tool_calls: fc.nat(20), limit_ms: someMs },
      { requiredKeys: ["limit_tokens"] },
    ),
    fc.constantFrom<NonNullable<BudgetPolicy["on_exceeded"]>>("fail", "fail", "pause", "warn"),
  )
  .map(([most, on_exceeded]) => ({ ...most, on_exceeded }));

/** The same with limits: of every second tree as a whole, and of every second node. */
export const limitedTreeScenarios: fc.Arbitrary<TreeScenario> = fc
  .tuple(
    treeScenarios,
    fc.option(budgets, { nil: undefined }),
    fc.array(fc.option(limits, { nil: undefined, freq: 2 }), { minLength: 12, maxLength: 12 }),
  )
  .map(([scenario, budget, given]) => ({
    ...scenario,
    nodes: scenario.nodes.map((node): TreeNode => {
      const own = node.parent === undefined ? undefined : given[node.id - 1];
      return own === undefined ? node : { ...node, limits: own };
    }),
    ...(budget !== undefined && { budget }),
  }));

export function describeTree({ nodes, events: done, ...rest }: TreeScenario): string {
  const lines = nodes.map(({ id, parent, turn, isBackground, work, fails, limits: own }) => {
    const kind = isBackground ? "background" : "foreground";
    const most = own === undefined ? "" : `, ${JSON.stringify(own)}`;
    return `  ${id} under ${parent ?? "none"} in turn ${turn}, ${kind}, ${work}${fails ? ", fails" : ""}${most}`;
  });
  return [JSON.stringify(rest), ...lines, ...done.map((event) => `  ${JSON.stringify(event)}`)].join("\n");
}
