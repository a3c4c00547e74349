import type { RunQuery, RunRecord } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision, buildRun } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import type { StoreBench } from "../store-bench.ts";

/** Runs that differ in everything one can ask for. */
const RUNS: readonly Partial<RunRecord>[] = [
  { run_id: "r1", agent_id: "a1", origin: "user", created_at: 100, updated_at: 500 },
  { run_id: "r2", agent_id: "a2", origin: "subagent", parent_run_id: "r1", created_at: 200, updated_at: 400 },
  { run_id: "r3", agent_id: "a1", origin: "a2a", termination_code: "natural", created_at: 300, updated_at: 300 },
];

async function fill(bench: StoreBench): Promise<void> {
  for (const overrides of RUNS) {
    const threadId = `thread-of-${overrides.run_id}`;
    const owner = await bench.start(threadId);
    const run = buildRun({ ...overrides, thread_id: threadId, status: "done" });
    await owner.commit({
      runs: [{ ...owner.run, status: "done", created_at: 1, updated_at: 1, agent_id: "none" }, run],
    });
  }
}

async function find(bench: StoreBench, query: RunQuery): Promise<readonly string[]> {
  const { items } = await bench.tenant.listRuns(query);
  return items.map(({ run_id }) => run_id).filter((id) => /^r\d$/.test(id));
}

/** Runs and calls, and the lists of them. */
export function runLaws(law: Law): void {
  law("loads a run as it was committed", async (bench) => {
    const run = { metadata: { note: "kept" }, resource_id: "someone", parent_thread_id: "parent", steps: 3 };
    const owner = await bench.start();
    await owner.commit({ runs: [{ ...owner.run, ...run }] });
    expect(await bench.tenant.loadRun(owner.runId)).toEqual({ ...owner.run, ...run });
    expect(await bench.tenant.loadRun("nobody")).toBeUndefined();
  });

  law("lists runs newest first, in pages", async (bench) => {
    await fill(bench);
    expect(await find(bench, {})).toEqual(["r3", "r2", "r1"]);
    const page = await bench.tenant.listRuns({ limit: 2, offset: 1 });
    expect(page.items.map(({ run_id }) => run_id)).toEqual(["r2", "r1"]);
    expect(page).toMatchObject({ total: 6, has_more: true });
    expect(await bench.tenant.listRuns({ offset: 99 })).toEqual({ items: [], total: 6, has_more: false });
    expect((await bench.tenant.listRuns({ limit: 0 })).items).toHaveLength(1);
  });

  law("finds runs by each field one can ask for", async (bench) => {
    await fill(bench);
    const cases: readonly (readonly [RunQuery, readonly string[]])[] = [
      [{ agent_id: "a1" }, ["r3", "r1"]],
      [{ origin: "subagent" }, ["r2"]],
      [{ parent_run_id: "r1" }, ["r2"]],
      [{ termination_code: "natural" }, ["r3"]],
      [{ thread_id: "thread-of-r2" }, ["r2"]],
      [{ status: "running" }, []],
      [{ created_at_from: 200 }, ["r3", "r2"]],
      [{ created_at_to: 200 }, ["r2", "r1"]],
      [{ updated_at_from: 400, updated_at_to: 500 }, ["r2", "r1"]],
      [{ agent_id: "a1", origin: "a2a" }, ["r3"]],
      [{ agent_id: "nobody" }, []],
    ];
    for (const [query, found] of cases) expect([query, await find(bench, query)]).toEqual([query, found]);
  });

  law("keeps a call under its run and its id", async (bench) => {
    const owner = await bench.start("thread-1");
    const other = await bench.start("thread-2");
    const call = owner.call("c1", { arguments: { path: ["a", 1, null] }, provider_call_id: "p1", expires_at: 5 });
    await owner.commit({ calls: [call] });
    await other.commit({ calls: [other.call("c1")] });
    expect(await bench.tenant.loadCall(owner.runId, "c1")).toEqual(call);
    expect(await bench.tenant.loadCall(other.runId, "c1")).toMatchObject({ thread_id: "thread-2" });
    expect(await bench.tenant.loadCall(owner.runId, "c2")).toBeUndefined();
    expect(await bench.tenant.loadCall("nobody", "c1")).toBeUndefined();
  });

  law("keeps the binding and the ticket of a call that waits", async (bench) => {
    const owner = await bench.start();
    const ticket = {
      suspension: { id: "s1", action: "approval", message: "May I?", response_schema: { type: "boolean" } },
      pending: { id: "c1", name: "t", arguments: { a: 1 } },
      resume_mode: "replay_tool_call",
    } as const;
    const call = owner.call("c1", { status: "suspended", suspension: 1, binding_hash: "bound", ticket });
    await owner.become("waiting", { calls: [call] });
    expect(await bench.tenant.loadCall(owner.runId, "c1")).toEqual(call);
  });

  law("lists calls oldest first, by thread, run and status", async (bench) => {
    const owner = await bench.start("thread-1");
    const other = await bench.start("thread-2");
    await owner.commit({ calls: [owner.call("c1"), owner.call("c2")] });
    await other.commit({ calls: [other.call("c3")] });
    await owner.commit({ calls: [owner.call("c4"), owner.call("c1", { status: "failed" })] });
    const find = async (query: Parameters<typeof bench.tenant.listCalls>[0]) =>
      (await bench.tenant.listCalls(query)).items.map(({ call_id }) => call_id);
    expect(await find({ thread_id: "thread-1" })).toEqual(["c1", "c2", "c4"]);
    expect(await find({ run_id: other.runId })).toEqual(["c3"]);
    expect(await find({ thread_id: "thread-1", status: "running" })).toEqual(["c2", "c4"]);
    expect(await find({ thread_id: "thread-1", is_open: true })).toEqual(["c2", "c4"]);
    expect(await find({ run_id: owner.runId, is_open: true })).toEqual(["c2", "c4"]);
    expect(await find({ run_id: owner.runId, status: "running" })).toEqual(["c2", "c4"]);
    expect(await find({ run_id: owner.runId, is_open: true, status: "failed" })).toEqual([]);
    expect(await find({ run_id: other.runId, thread_id: "thread-1", is_open: true })).toEqual([]);
    const page = await bench.tenant.listCalls({ thread_id: "thread-1", limit: 1, offset: 1 });
    expect(page).toMatchObject({ items: [{ call_id: "c2" }], total: 3, has_more: true });
  });

  law("lists open calls of all threads, and refuses to list all calls that ever were", async (bench) => {
    const owner = await bench.start("thread-1");
    const other = await bench.start("thread-2");
    await owner.commit({ calls: [owner.call("c1"), owner.call("c2", { status: "failed" })] });
    await other.commit({ calls: [other.call("c3"), other.call("c4", { status: "new" })] });
    const running = await bench.tenant.listCalls({ status: "running" });
    expect(running.items.map(({ call_id }) => call_id).toSorted()).toEqual(["c1", "c3"]);
    expect((await bench.tenant.listCalls({ status: "new" })).items).toMatchObject([{ call_id: "c4" }]);
    const open = await bench.tenant.listCalls({ is_open: true });
    expect(open.items.map(({ call_id }) => call_id).toSorted()).toEqual(["c1", "c3", "c4"]);
    await expectRefusal(bench.tenant.listCalls({}), "INVALID_REQUEST");
    await expectRefusal(bench.tenant.listCalls({ status: "failed" }), "INVALID_REQUEST");
  });

  law("issue 14.34: finds suspended calls by the id they have outside, also when it changes", async (bench) => {
    const owner = await bench.start("thread-1");
    const other = await bench.start("thread-2");
    const waits = (call_id: string, suspension: number, id: string) => ({
      status: "suspended" as const,
      suspension,
      ticket: {
        suspension: { id: `${call_id}-q${suspension}`, action: "ask" },
        pending: { id, name: "t", arguments: {} },
        resume_mode: "use_decision_as_tool_result" as const,
      },
    });
    const find = async (pending_id: string, query: Parameters<typeof bench.tenant.listCalls>[0] = {}) =>
      (await bench.tenant.listCalls({ ...query, status: "suspended", pending_id })).items.map(({ call_id }) => call_id);
    const long = `order ${"x".repeat(3_000)}\u0000`;
    await owner.commit({ calls: [owner.call("c1"), owner.call("c2"), owner.call("c4")] });
    await other.commit({ calls: [other.call("c3")] });
    await owner.commit({
      calls: [owner.call("c1", waits("c1", 1, "order 1")), owner.call("c2", waits("c2", 1, long))],
    });
    await owner.commit({ calls: [owner.call("c4", { status: "suspended", suspension: 1 })] });
    await other.become("waiting", { calls: [other.call("c3", waits("c3", 1, "order 1"))] });
    expect([await find("order 1"), await find(long), await find("c4"), await find("c1")]).toEqual([
      ["c1", "c3"],
      ["c2"],
      ["c4"],
      [],
    ]);
    expect(await find("order 1", { run_id: other.runId })).toEqual(["c3"]);
    expect(await find("order 1", { thread_id: "thread-1" })).toEqual(["c1"]);
    // Decided and asked again under another id, in one commit.
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await owner.commit({
      calls: [owner.call("c1", waits("c1", 2, "order 2"))],
      consumed_decisions: [{ run_id: owner.runId, call_id: "c1", suspension: 1 }],
    });
    expect([await find("order 1"), await find("order 2")]).toEqual([["c3"], ["c1"]]);
    await owner.commit({ calls: [owner.call("c2", { status: "cancelled", suspension: 1 })] });
    expect(await find(long)).toEqual([]);
    await expectRefusal(bench.tenant.listCalls({ pending_id: "order 1", run_id: owner.runId }), "INVALID_REQUEST");
  });

  law("lists suspended calls in the order in which they were suspended", async (bench) => {
    const owner = await bench.start("thread-1");
    const other = await bench.start("thread-2");
    await owner.commit({ calls: [owner.call("c1"), owner.call("c2")] });
    await owner.commit({ calls: [owner.call("c2", { status: "suspended", suspension: 1 })] });
    await other.suspend("c3");
    await owner.become("waiting", { calls: [owner.call("c1", { status: "suspended", suspension: 1 })] });
    const find = async (query: Parameters<typeof bench.tenant.listCalls>[0]) =>
      (await bench.tenant.listCalls({ ...query, status: "suspended" })).items.map(({ call_id }) => call_id);
    expect(await find({})).toEqual(["c2", "c3", "c1"]);
    expect(await find({ thread_id: "thread-1" })).toEqual(["c2", "c1"]);
    expect(await find({ run_id: other.runId })).toEqual(["c3"]);
    await bench.tenant.decide(buildDecision({ run_id: other.runId, call_id: "c3" }));
    const again = await bench.take(await bench.claimOne());
    await again.become("done", {
      calls: [again.call("c3", { status: "succeeded", suspension: 1 })],
      consumed_decisions: [{ run_id: other.runId, call_id: "c3", suspension: 1 }],
    });
    expect(await find({})).toEqual(["c2", "c1"]);
  });
}
