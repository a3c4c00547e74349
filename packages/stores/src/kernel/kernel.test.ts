import { buildChangeset, buildEntry, buildMessage, buildRun } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { sealChangeset } from "../codec/seal-changeset.ts";
import { NO_QUEUE, NO_ROWS } from "./held-write.ts";
import { encodeNeed } from "./need.ts";
import { demandOf, planOf } from "./operations.ts";
import type { ThreadRequest } from "./request.ts";
import { type EntryRow, queueOf, type ThreadRow } from "./rows.ts";

function threadRow(parts: Partial<ThreadRow> = {}): ThreadRow {
  return {
    thread: { thread_id: "thread-1", metadata: {}, version: 0, created_at: 1, updated_at: 1 },
    revision: 0,
    digest: "",
    generation: 0,
    epoch: 0,
    claim: null,
    open_run_id: null,
    recover_at: 0,
    is_given_back: false,
    losses: { version: 0, count: 0 },
    arrivals: 0,
    messages: 0,
    pruned_version: 0,
    promised_version: 0,
    damage: null,
    work: null,
    ...parts,
  };
}

function entryRow(entryId: string, parts: Partial<EntryRow["entry"]> = {}, arrival = 1): EntryRow {
  const { request, ...entry } = buildEntry({ entry_id: entryId });
  const { agent_id } = request;
  const rest = { generation: 0, status: "queued", available_at: 0, attempts: 0, created_at: 0, updated_at: 0 } as const;
  return { entry: { ...entry, agent_id, kind: "run", ...rest, ...parts }, request: "{}", arrival };
}

const CLAIM: ThreadRequest<"claim"> = {
  operation: "claim",
  tenant: "t",
  thread_id: "thread-1",
  request: { owner: "me", lease_ms: 100, needs: [] },
};

const AGENT_1 = encodeNeed({ agent: "agent-1" });

function rowOf(plan: ReturnType<typeof planOf>): ThreadRow | undefined {
  const write = plan.writes.find((one) => one.write === "thread");
  return write?.row;
}

describe("what an operation demands", () => {
  it("is known from the request alone and as long as the request", () => {
    const changeset = sealChangeset(
      buildChangeset({ run_id: "run-1", messages: [buildMessage("m1")], runs: [buildRun()], supersedes: ["m0"] }),
    );
    const guard = { expected: 0, epoch: 1 };
    expect(demandOf({ operation: "commit", tenant: "t", changeset, guard })).toEqual({
      tenant: "t",
      thread: { thread_id: "thread-1" },
      changeset_ids: ["changeset-1"],
      message_ids: ["m1"],
      run_ids: ["run-1"],
      calls: [],
      decisions: [],
      pending_decisions: true,
      superseded_ids: ["m0"],
      entry_ids: [],
      entry_run_ids: ["run-1"],
    });
  });

  it("is everything queued only for what interrupts", () => {
    const demand = (busy_policy: "enqueue" | "interrupt") => {
      const { request, ...entry } = buildEntry({ busy_policy });
      const { agent_id } = request;
      return demandOf({ operation: "submit", tenant: "t", entry: { ...entry, agent_id, request: "{}" } });
    };
    expect(demand("enqueue").queued_runs).toBeUndefined();
    expect(demand("interrupt").queued_runs).toBe(true);
  });
});

describe("the work hint", () => {
  it("is the end of the lease under a claim", () => {
    const rows = {
      ...NO_ROWS,
      thread: threadRow(),
      entries: [entryRow("e1")],
      queue: { ...NO_QUEUE, next_at: 0 },
    };
    const plan = planOf(CLAIM, rows, 1_000);
    expect(plan.answer).toMatchObject({
      claim: { owner: "me", kind: "start", lease_until: 1_100 },
      entry: { entry: { entry_id: "e1" } },
    });
    expect(rowOf(plan)).toMatchObject({ epoch: 1, work: { rank: 0, at: 1_100, need: AGENT_1 } });
  });

  it("is put right by a claim that finds nothing yet", () => {
    const queue = { ...NO_QUEUE, next_at: 5_000 };
    const plan = planOf(CLAIM, { ...NO_ROWS, thread: threadRow({ work: { rank: 2, at: 1, need: "" } }), queue }, 1_000);
    expect(plan.answer).toBeNull();
    expect(rowOf(plan)?.work).toEqual({ rank: 2, at: 5_000, need: "" });
    const empty = planOf(CLAIM, { ...NO_ROWS, thread: threadRow({ work: { rank: 2, at: 1, need: "" } }) }, 1_000);
    expect(rowOf(empty)?.work).toBeNull();
  });

  it("waits for an entry that keeps its place, however many come after it", () => {
    const waiting = entryRow("tried", { attempts: 1, available_at: 9_000 });
    const entries = [waiting, entryRow("next", {}, 2)];
    const plan = planOf(CLAIM, { ...NO_ROWS, thread: threadRow(), entries, queue: { ...NO_QUEUE, next_at: 0 } }, 1_000);
    expect(plan.answer).toBeNull();
    expect(rowOf(plan)?.work).toEqual({ rank: 2, at: 9_000, need: AGENT_1 });
  });

  it("leaves a more urgent entry to go before one that keeps its place", () => {
    const entries = [entryRow("tried", { attempts: 1, available_at: 9_000 }), entryRow("urgent", { priority: 5 }, 2)];
    const plan = planOf(CLAIM, { ...NO_ROWS, thread: threadRow(), entries, queue: { ...NO_QUEUE, next_at: 0 } }, 1_000);
    expect(plan.answer).toMatchObject({ entry: { entry: { entry_id: "urgent" } } });
  });

  it("does not offer a thread of which something cannot be read", () => {
    const rows = { ...NO_ROWS, thread: threadRow({ damage: "a message" }), entries: [entryRow("e1")] };
    const plan = planOf(CLAIM, rows, 1_000);
    expect([plan.answer, rowOf(plan)?.work]).toEqual([null, null]);
  });

  it("takes a claim that another one holds for nothing to do, and writes nothing", () => {
    const claim = { owner: "other", epoch: 3, lease_until: 2_000, kind: "start", entry_id: null } as const;
    expect(planOf(CLAIM, { ...NO_ROWS, thread: threadRow({ claim }) }, 1_000)).toEqual({
      writes: [],
      answer: null,
      signals: [],
    });
  });
});

it("writes only the rows that changed", () => {
  const request: ThreadRequest<"commit"> = {
    operation: "commit",
    tenant: "t",
    changeset: sealChangeset(buildChangeset({ messages: [buildMessage("m1")] })),
    guard: { expected: 0, epoch: null },
  };
  const plan = planOf(request, { ...NO_ROWS, thread: threadRow(), entries: [entryRow("e1")] }, 1_000);
  expect(plan.writes.map(({ write }) => write)).toEqual(["thread", "commit"]);
  expect(rowOf(plan)).toMatchObject({ messages: 1, thread: { version: 1 } });
});

it("knows where a pending entry waits", () => {
  const { entry } = entryRow("e");
  expect(queueOf(entry)).toBe("run");
  expect(queueOf({ ...entry, kind: "cancel" })).toBe("wake");
  expect(queueOf({ ...entry, status: "claimed" })).toBe("claimed");
  expect(queueOf({ ...entry, status: "accepted" })).toBeNull();
});
