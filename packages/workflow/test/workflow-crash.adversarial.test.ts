import { expect, it } from "vitest";
import { dieAtCommit } from "../../runtime/test/support/die-at-commit.ts";
import { soon, until } from "../../runtime/test/support/wait.ts";
import { AGENT, agentNode, createFlowBench, edge, type FlowDefinition } from "./support/flow-bench.ts";

/** One of everything that may be interrupted: branches, a tool that must not be repeated, a gate, a sleep, a fan-out. */
const FLOW: FlowDefinition = {
  agents: [AGENT],
  nodes: [
    { id: "fork", type: "parallel", parallel_of: ["left", "right"] },
    agentNode("left"),
    agentNode("right"),
    { id: "join", type: "merge", strategy: "concat" },
    { id: "pay", type: "tool", tool: "pay", arguments: { for: "{{ run.outputs.join | length }}" } },
    { id: "gate", type: "human_gate", gate_type: "approval", message_template: "Continue?" },
    { id: "nap", type: "wait", duration_ms: 60_000 },
    { id: "map", type: "fan_out", over: "[1, 2, 3]", body: { nodes: [agentNode("item")] } },
    { id: "out", type: "output" },
  ],
  edges: [
    edge("left", "join"),
    edge("right", "join"),
    edge("join", "pay"),
    edge("pay", "gate"),
    edge("gate", "nap"),
    edge("nap", "map"),
    edge("map", "out"),
  ],
};

const NODES = ["left", "right", "pay", "map[0].item", "map[1].item", "map[2].item"];

it.each(
  Array.from({ length: 16 }, (_, index) => index + 1).flatMap((commit) => [
    [commit, "before"] as const,
    [commit, "after"] as const,
  ]),
)("repeats no completed node when the process dies at commit %i, %s it", async (commit, side) => {
  const bench = createFlowBench(FLOW);
  const mortal = dieAtCommit(bench, commit, side);
  const first = await bench.open("first", mortal);
  const run = await soon(first.start({ agent: "flow", threadId: "t", input: "" }));
  const isOver = async (runtime: typeof first): Promise<boolean> => {
    for (const { id } of await runtime.decisions.list({ threadId: "t" })) {
      await runtime.decisions.decide(id, { action: "approve" }).catch(() => undefined);
    }
    await bench.env.advance(30_000);
    return (await bench.store.forTenant("default").loadRun(run.id))?.status === "done";
  };
  await until(async () => mortal.isDead() || (await isOver(first)));
  const second = await bench.open("second");
  await bench.env.advance(13_000);
  await until(() => isOver(second), "the end of the run");

  const completed = new Map<string, number>();
  const events = await soon(Array.fromAsync((await second.run(run.id)).events()));
  for (const event of events) {
    if (event.type === "node_end") completed.set(event.data.node_id, (completed.get(event.data.node_id) ?? 0) + 1);
  }
  expect([...completed.values()].every((count) => count === 1)).toBe(true);
  expect(await soon((await second.run(run.id)).outcome())).toMatchObject({ status: "done" });
  // What was at work when the process died may run twice, everything else once; a tool only after a person approved.
  for (const path of NODES) {
    const times = bench.executed.filter((each) => each.path === path).length;
    expect(times).toBeGreaterThan(0);
    expect(times).toBeLessThanOrEqual(2);
  }
  const pays = bench.executed.filter(({ path }) => path === "pay").length;
  const asked = events.some((event) => event.type === "node_wait" && event.data.wait === "unknown_outcome");
  expect(pays).toBeLessThanOrEqual(asked ? 2 : 1);
  expect(await soon(second.replay(run.id))).toMatchObject({ equal: true });
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "loses no answer that comes with the announcement of a call, when the process dies after commit %i",
  async (commit) => {
    const { promise: announcing, resolve: announce } = Promise.withResolvers<void>();
    const gate = { id: "gate", type: "human_gate", gate_type: "approval", message_template: "Continue?" } as const;
    const bench = createFlowBench({ agents: [AGENT], nodes: [gate, agentNode("pay")] }, async (_, __, context) => {
      await announcing;
      await context.announceCall({ id: "c", tool_id: "pay", arguments: null });
      return "paid";
    });
    const mortal = dieAtCommit(bench, commit, "after");
    const tenant = mortal.store.forTenant("default");
    const slow = new Proxy(tenant, {
      get(_, name) {
        if (name !== "readInbox") return Reflect.get(tenant, name);
        return async (...asked: Parameters<typeof tenant.readInbox>) => {
          const inbox = await tenant.readInbox(...asked);
          if (inbox.decisions.length > 0) announce();
          // The call is announced before the answers are there.
          for (let turn = 0; turn < 50; turn++) await bench.env.yield();
          return inbox;
        };
      },
    });
    const first = await bench.open("first", { ...mortal, store: { ...mortal.store, forTenant: () => slow } });
    const run = await soon(first.start({ agent: "flow", threadId: "t", input: "" }));
    const isOver = async (runtime: typeof first): Promise<boolean> => {
      for (const { id } of await runtime.decisions.list({ threadId: "t" })) {
        await runtime.decisions.decide(id, { action: "approve" }).catch(() => undefined);
      }
      await bench.env.advance(1_000);
      return (await bench.store.forTenant("default").loadRun(run.id))?.status === "done";
    };
    await until(async () => mortal.isDead() || (await isOver(first)));
    announce();
    const second = await bench.open("second");
    await bench.env.advance(13_000);
    await until(() => isOver(second), "the end of the run");
    expect(await soon((await second.run(run.id)).outcome())).toMatchObject({ status: "done" });
    expect(await soon(second.replay(run.id))).toMatchObject({ equal: true });
  },
);
