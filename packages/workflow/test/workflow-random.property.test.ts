import { MAX_LIMIT, type TenantStore } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import { getAt } from "@reprise/state";
import fc from "fast-check";
import { expect, it } from "vitest";
import { RUN_PATH } from "../../runtime/src/thread/run-state.ts";
import { dieAtCommit } from "../../runtime/test/support/die-at-commit.ts";
import { soon, until } from "../../runtime/test/support/wait.ts";
import type { WorkflowEdge, WorkflowNode } from "../src/document/workflow-document.ts";
import type { WorkflowState } from "../src/run/workflow-state.ts";
import { AGENT, agentNode, createFlowBench, edge, type FlowDefinition } from "./support/flow-bench.ts";
import { type FoldedNode, foldNode, nodesOfState } from "./support/fold-nodes.ts";

/** A node by a number, so that shrinking makes it plainer. */
function makeNode(kind: number, id: string): WorkflowNode {
  switch (kind % 11) {
    case 0:
      return { id, type: "transform", expression: "1" };
    case 1:
      return agentNode(id);
    case 2:
      return { id, type: "tool", tool: "t" };
    case 3:
      return { id, type: "human_gate", gate_type: "approval", message_template: "Yes?" };
    case 4:
      return { id, type: "wait", duration_ms: 40_000 };
    case 5:
      return {
        id,
        type: "fan_out",
        over: "[1, 2]",
        body: {
          nodes: [agentNode(`${id}-a`), { id: `${id}-b`, type: "tool", tool: "t" }],
          edges: [edge(`${id}-a`, `${id}-b`)],
        },
      };
    case 6:
      return { id, type: "loop", while: "iteration < 2", max_iterations: 5, body: { nodes: [agentNode(`${id}-c`)] } };
    case 7:
      return { ...agentNode(id), retry: { max: 3, backoff: "linear", backoff_ms: kind % 2 === 0 ? 5 : 20_000 } };
    case 8:
      return {
        id,
        type: "fan_out",
        over: "[1, 2, 3]",
        body: {
          nodes: [
            {
              id: `${id}-d`,
              type: "condition",
              expression: "item === 1",
              branches: [{ when: true, to: `${id}-e` }],
              default: `${id}-f`,
            },
            agentNode(`${id}-e`),
            { id: `${id}-f`, type: "transform", expression: "item" },
          ],
        },
      };
    case 9:
      return {
        id,
        type: "fan_out",
        over: "[1, 2]",
        on_error: "collect",
        body: { nodes: [{ ...agentNode(`${id}-bad`), retry: { max: 2, backoff_ms: 5 } }] },
      };
    default:
      return {
        id,
        type: "human_gate",
        gate_type: "review",
        message_template: "Yes?",
        timeout_ms: 50_000,
        timeout_action: "approve",
      };
  }
}

const flows = fc
  .array(fc.record({ kind: fc.nat(21), after: fc.array(fc.nat(9), { maxLength: 3 }), takes: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts): FlowDefinition => {
    const nodes = parts.map(({ kind }, index) => makeNode(kind, `n${index}`));
    const edges = parts.flatMap(({ after, takes }, index): WorkflowEdge[] =>
      [...new Set(after.map((each) => each % Math.max(index, 1)))]
        .filter((each) => each < index)
        .map((each) => edge(`n${each}`, `n${index}`, takes ? undefined : "false")),
    );
    return { agents: [AGENT], nodes, edges, max_parallel: 3 };
  });

it("random workflows come to the same end over crashes, repeat no completed node, are the fold of their events in every commit, and verify by replay", {
  timeout: 7_200_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(flows, fc.integer({ min: 1, max: 25 }), fc.boolean(), async (flow, commit, isBefore) => {
      const plain = await play(flow, undefined);
      const crashed = await play(flow, { commit, side: isBefore ? "before" : "after" });
      expect(crashed.ends).toEqual(plain.ends);
      expect(crashed.outcome).toEqual(plain.outcome);
    }),
    { numRuns: process.env.REPRISE_FUZZ ? 5_000 : 40 },
  );
});

async function play(
  flow: FlowDefinition,
  crash: { readonly commit: number; readonly side: "before" | "after" } | undefined,
) {
  const failing = { kind: "failed", error: { code: "tool_failed", message: "Not yet.", retryable: true } } as const;
  const bench = createFlowBench(flow, (path, attempt, { vertex }) =>
    attempt < (vertex.node.retry?.max ?? 1) || path.endsWith("-bad") ? failing : `${path}!`,
  );
  const mortal = crash === undefined ? undefined : dieAtCommit(bench, crash.commit, crash.side);
  const first = await bench.open("first", mortal);
  const run = await soon(first.start({ agent: "flow", threadId: "t", input: "" }));
  const push = async (runtime: typeof first): Promise<boolean> => {
    for (const { id } of await runtime.decisions.list({ threadId: "t" })) {
      await runtime.decisions.decide(id, { action: "approve" }).catch(() => undefined);
    }
    await bench.env.advance(13_000);
    return (await bench.store.forTenant("default").loadRun(run.id))?.status === "done";
  };
  await until(async () => mortal?.isDead() === true || (await push(first)));
  const second = await bench.open("second");
  await bench.env.advance(13_000);
  await until(() => push(second), "the end of the run");
  const handle = await second.run(run.id);
  const events = await soon(Array.fromAsync(handle.events()));
  const ends = new Map<string, string>();
  for (const event of events) {
    if (event.type !== "node_end") continue;
    expect(ends.has(event.data.node_id)).toBe(false);
    ends.set(event.data.node_id, event.data.outcome);
  }
  await expectFold(bench.store.forTenant("default"), second);
  const tools = new Set(
    bench.executed
      .filter(({ path }) => bench.executed.filter((each) => each.path === path).length > 6)
      .map(({ path }) => path),
  );
  expect([...tools]).toEqual([]);
  expect(await soon(second.replay(run.id))).toMatchObject({ equal: true });
  const outcome = await soon(handle.outcome());
  const told = outcome.status === "done" ? outcome.text : outcome.status;
  return { ends: [...ends].toSorted(([left], [right]) => (left < right ? -1 : 1)), outcome: told };
}

/** The checkpoint is the fold of the events: in every commit, the nodes as they are stored are what the events until then say. */
async function expectFold(store: TenantStore, runtime: Runtime): Promise<void> {
  const nodes = new Map<string, FoldedNode>();
  let compared = 0;
  for (const { version, events } of await store.readChangesets("t", 0, MAX_LIMIT)) {
    for (const event of events) foldNode(nodes, event);
    const state = getAt(await runtime.threads.state("t", { version }), [RUN_PATH, "program"]);
    // Nothing is stored yet, or nothing more: the state of a run goes with it.
    if (state === undefined) continue;
    expect(nodesOfState(state as unknown as WorkflowState)).toEqual(nodes);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(0);
}
