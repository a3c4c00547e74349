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

export function describeTree({ nodes, events: done, ...rest }: TreeScenario): string {
  const lines = nodes.map(({ id, parent, turn, isBackground, work, fails }) => {
    const kind = isBackground ? "background" : "foreground";
    return `  ${id} under ${parent ?? "none"} in turn ${turn}, ${kind}, ${work}${fails ? ", fails" : ""}`;
  });
  return [JSON.stringify(rest), ...lines, ...done.map((event) => `  ${JSON.stringify(event)}`)].join("\n");
}
