import { buildCall, buildChangeset, buildEvents, buildMessage, buildRun } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { sealChangeset } from "../codec/seal-changeset.ts";
import type { ThreadRows } from "./demand.ts";
import { NO_QUEUE } from "./held-write.ts";
import { demandOf, planOf } from "./operations.ts";
import type { FlushRecovery, ThreadRequest, ThreadRequests } from "./request.ts";
import type { HeldClaim, ThreadRow } from "./rows.ts";
import type { Write } from "./write.ts";

const RUN = buildRun({ run_id: "run-1", thread_id: "thread-1" });
const CLAIM: HeldClaim = { owner: "o", epoch: 5, lease_until: 1_000, kind: "start", entry_id: null };

function rowsOf(parts: Partial<ThreadRow> = {}, known: Partial<ThreadRows> = {}): ThreadRows {
  const thread: ThreadRow = {
    thread: { thread_id: "thread-1", metadata: {}, version: 3, created_at: 1, updated_at: 1 },
    revision: 0,
    digest: "",
    generation: 0,
    epoch: 5,
    claim: CLAIM,
    open_run_id: "run-1",
    recover_at: 0,
    is_given_back: false,
    losses: { version: 0, count: 0 },
    arrivals: 0,
    messages: 4,
    pruned_version: 0,
    promised_version: 0,
    damage: null,
    work: null,
    ...parts,
  };
  return {
    thread,
    retired_epoch: 0,
    known_versions: new Map(),
    message_ids: [],
    runs: [{ record: RUN, last_seq: 2, first_version: 1, last_version: 3, open_calls: [] }],
    calls: [],
    decisions: [],
    entries: [],
    queue: NO_QUEUE,
    positions: new Map(),
    superseded: [],
    ...known,
  };
}

/** The commit that makes a version, with a message and an event. */
function commitOf(version: number, parts: Parameters<typeof buildChangeset>[0] = {}): ThreadRequests["commit"] {
  const changeset = buildChangeset({
    changeset_id: `changeset-${version}`,
    thread_id: "thread-1",
    run_id: "run-1",
    messages: [buildMessage(`message-${version}`)],
    events: buildEvents(RUN, version - 1, 1),
    ...parts,
  });
  return { changeset: sealChangeset(changeset), guard: { expected: version - 1, epoch: 5 } };
}

function flushOf(commits: readonly ThreadRequests["commit"][], recovery?: FlushRecovery): ThreadRequest<"flush"> {
  const base = { operation: "flush", tenant: "t", thread_id: "thread-1", commits } as const;
  return recovery === undefined ? base : { ...base, recovery };
}

function threadOf(writes: readonly Write[]): ThreadRow | undefined {
  return writes.find((write) => write.write === "thread")?.row;
}

describe("several commits as one", () => {
  it("demand what each of them does, once", () => {
    const call = buildCall({ run_id: "run-1", thread_id: "thread-1", call_id: "c1" });
    const demand = demandOf(flushOf([commitOf(4, { calls: [call] }), commitOf(5, { calls: [call] })]));
    expect(demand).toMatchObject({
      thread: { thread_id: "thread-1" },
      changeset_ids: ["changeset-4", "changeset-5"],
      message_ids: ["message-4", "message-5"],
      run_ids: ["run-1"],
      calls: [{ run_id: "run-1", call_id: "c1" }],
    });
  });

  it("follow each other, and see what those before them did", () => {
    const commits = [4, 5, 6].map((version) => commitOf(version, { runs: [{ ...RUN, steps: version }] }));
    const { answer, writes, signals } = planOf(flushOf(commits), rowsOf(), 7);
    expect(answer).toEqual({ version: 6 });
    expect(threadOf(writes)).toMatchObject({ thread: { version: 6, updated_at: 7 }, messages: 7 });
    const changesets = writes.filter((write) => write.write === "commit");
    expect(changesets.map(({ version, first_position }) => [version, first_position])).toEqual([
      [4, 4],
      [5, 5],
      [6, 6],
    ]);
    // The run is written once, as it is in the end.
    const runs = writes.filter((write) => write.write === "run");
    expect(runs.map(({ row }) => row.record.steps)).toEqual([6]);
    expect(signals).toEqual([{ tenant: "t", thread_id: "thread-1", kind: "commit", run_id: "run-1" }]);
  });

  it("pass over those that the thread has, also among themselves", () => {
    const rows = rowsOf({}, { known_versions: new Map([["changeset-2", 2]]) });
    const { answer, writes } = planOf(flushOf([commitOf(2), commitOf(4), commitOf(4)]), rows, 7);
    expect(answer).toEqual({ version: 4 });
    expect(writes.filter((write) => write.write === "commit")).toHaveLength(1);
    expect(planOf(flushOf([commitOf(2)]), rows, 7)).toEqual({ answer: { version: 2 }, writes: [], signals: [] });
  });

  it.each([
    ["a gap in the versions", [commitOf(4), commitOf(6)], "VERSION_CONFLICT"],
    [
      "a message that one before brought",
      [commitOf(4), commitOf(5, { messages: [buildMessage("message-4")] })],
      "INVALID_REQUEST",
    ],
    ["events that do not follow", [commitOf(4), commitOf(5, { events: buildEvents(RUN, 3, 1) })], "INVALID_REQUEST"],
    [
      "a call that one before has ended",
      ["succeeded", "running"].map((status, index) =>
        commitOf(4 + index, {
          calls: [buildCall({ run_id: "run-1", thread_id: "thread-1", call_id: "c1", status: status as "running" })],
        }),
      ),
      "ILLEGAL_TRANSITION",
    ],
  ])("are all refused with %s", (_, commits, code) => {
    expect(() => planOf(flushOf(commits), rowsOf(), 7)).toThrow(expect.objectContaining({ code }));
  });

  it("let the first one supersede a message", () => {
    const commits = [commitOf(4, { supersedes: ["m1"] }), commitOf(5, { supersedes: ["m1", "m2"] })];
    const positions = new Map([
      ["m1", 0],
      ["m2", 1],
    ]);
    const { writes } = planOf(flushOf(commits), rowsOf({}, { positions }), 7);
    expect(writes.filter((write) => write.write === "supersede").map(({ range }) => range)).toEqual([
      { first_position: 0, last_position: 0, version: 4 },
      { first_position: 1, last_position: 1, version: 5 },
    ]);
  });

  it("give the claim back when the last of them ends the run", () => {
    const { writes } = planOf(flushOf([commitOf(4), commitOf(5, { runs: [{ ...RUN, status: "done" }] })]), rowsOf(), 7);
    expect(threadOf(writes)).toMatchObject({ claim: null, open_run_id: null });
  });
});

describe("what owners before left behind", () => {
  const recovery = { epoch: 5, promised: 0 };

  it("is applied as far as it follows, under the epoch it was shown under", () => {
    const commits = [3, 4, 5].map((version) => ({ ...commitOf(version), shown_epoch: 4 }));
    const { answer, writes } = planOf(flushOf(commits, recovery), rowsOf(), 7);
    expect(answer).toEqual({ version: 5 });
    const changesets = writes.filter((write) => write.write === "commit");
    expect(changesets.map(({ version, epoch }) => [version, epoch])).toEqual([
      [4, 4],
      [5, 4],
    ]);
    expect(threadOf(writes)?.promised_version).toBe(5);
  });

  it("is lost from the first gap on, which stays on record", () => {
    const { answer, writes } = planOf(flushOf([commitOf(4), commitOf(6), commitOf(7)], recovery), rowsOf(), 7);
    expect(answer).toEqual({ version: 4, lost: { from: 5, to: 7 } });
    expect(threadOf(writes)).toMatchObject({ thread: { version: 4 }, promised_version: 7 });
  });

  it("is lost up to what was promised", () => {
    expect(planOf(flushOf([], { epoch: 5, promised: 9 }), rowsOf(), 7).answer).toEqual({
      version: 3,
      lost: { from: 4, to: 9 },
    });
    const promised = rowsOf({ promised_version: 6 });
    expect(planOf(flushOf([commitOf(4)], recovery), promised, 7).answer).toEqual({
      version: 4,
      lost: { from: 5, to: 6 },
    });
  });

  it("is lost from what the rules refuse on", () => {
    const wrong = commitOf(5, { events: buildEvents(RUN, 9, 1) });
    const { answer } = planOf(flushOf([commitOf(4), wrong, commitOf(6)], recovery), rowsOf(), 7);
    expect(answer).toEqual({ version: 4, lost: { from: 5, to: 6 } });
  });

  it("is of no use when it is of another run", () => {
    const { answer } = planOf(flushOf([commitOf(4, { run_id: "run-0", events: [] })], recovery), rowsOf(), 7);
    expect(answer).toEqual({ version: 3 });
  });

  it("counts the owner that was lost, when it brought the run's row", () => {
    const recoveriesAfter = (parts: Parameters<typeof buildChangeset>[0]) => {
      const { writes } = planOf(flushOf([commitOf(4, parts)], recovery), rowsOf(), 7);
      return writes.filter((write) => write.write === "run").map(({ row }) => row.record.recoveries);
    };
    expect(recoveriesAfter({ runs: [{ ...RUN, recoveries: 0 }] })).toEqual([1]);
    expect(recoveriesAfter({})).toEqual([0]);
  });

  it("is refused to a process that lost the claim, and when the thread is closed", () => {
    const stale = expect.objectContaining({ code: "STALE_EPOCH" });
    expect(() => planOf(flushOf([commitOf(4)], { epoch: 4, promised: 0 }), rowsOf(), 7)).toThrow(stale);
    const corrupt = expect.objectContaining({ code: "CORRUPT_DATA" });
    expect(() => planOf(flushOf([commitOf(4)], recovery), rowsOf({ damage: "torn" }), 7)).toThrow(corrupt);
  });
});

describe("what was promised ahead of the database", () => {
  const renew = (promised?: number): ThreadRequest<"renew"> => {
    const base = { operation: "renew", tenant: "t", thread_id: "thread-1", epoch: 5, lease_ms: 10 } as const;
    return promised === undefined ? base : { ...base, promised };
  };

  it("is kept with a renewal, and never lowered by one", () => {
    expect(threadOf(planOf(renew(6), rowsOf(), 7).writes)?.promised_version).toBe(6);
    expect(threadOf(planOf(renew(6), rowsOf({ promised_version: 8 }), 7).writes)?.promised_version).toBe(8);
    expect(threadOf(planOf(renew(), rowsOf({ promised_version: 8 }), 7).writes)?.promised_version).toBe(8);
  });

  it("reports the loss to the process that recovers the run without it", () => {
    const claim = {
      operation: "claim",
      tenant: "t",
      thread_id: "thread-1",
      request: { owner: "p", lease_ms: 9, needs: [] },
    } as const;
    const at = 2_000;
    expect(planOf(claim, rowsOf({ promised_version: 6 }), at).answer?.lost).toEqual({ from: 4, to: 6 });
    expect(planOf(claim, rowsOf({ promised_version: 3 }), at).answer).not.toHaveProperty("lost");
  });

  it("is forgotten when the run no longer runs", () => {
    const promisedAfter = (status: "running" | "waiting" | "done") => {
      const request = { operation: "commit", tenant: "t", ...commitOf(4, { runs: [{ ...RUN, status }] }) } as const;
      return threadOf(planOf(request, rowsOf({ promised_version: 9 }), 7).writes)?.promised_version;
    };
    expect([promisedAfter("running"), promisedAfter("waiting"), promisedAfter("done")]).toEqual([9, 0, 0]);
  });
});
