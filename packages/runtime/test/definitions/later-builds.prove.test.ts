import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@reprise/contracts";
import type { RunOutcome } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startWorker, type Worker } from "../many-processes/support/start-worker.ts";
import type { WorkerSetup } from "../many-processes/support/worker-protocol.ts";
import { assertConsistent } from "../support/assert-consistent.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const NOTE = JSON.stringify([{ call: "note", arguments: { text: "milk" } }]);
const LETTER = JSON.stringify([{ call: "letter", arguments: { ms: 60_000 } }]);

interface Left {
  readonly file: string;
  readonly runId: string;
  readonly callId: string;
}

/** A run that waits for approval in a process of build 1, which is then killed. */
async function leaveWaiting(): Promise<Left> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-builds-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "threads.db");
  const first = await startWorker({ store: { kind: "sqlite", file } });
  const runId = await first.ask("start", { threadId: "t1", input: NOTE });
  const outcome = await outcomeOf(first, runId);
  if (outcome.status !== "waiting") throw new Error(`The run is ${outcome.status}.`);
  first.signal("SIGKILL");
  await first.exited;
  return { file, runId, callId: outcome.open[0]?.id ?? "" };
}

/** The next deploy: another process, another build, the same file. */
function deploy({ file }: Pick<Left, "file">, build: string, more: Partial<WorkerSetup> = {}): Promise<Worker> {
  return startWorker({ store: { kind: "sqlite", file }, build, ...more });
}

async function outcomeOf(worker: Worker, runId: string): Promise<RunOutcome> {
  // What the worker's runtime said, as JSON.
  return (await worker.ask("outcome", { runId })) as RunOutcome;
}

/** Approves the call in a build and waits until the run is done or asks again. */
async function approve(worker: Worker, { runId, callId }: Left): Promise<RunOutcome> {
  await worker.ask("decide", { target: callId, verb: { action: "approve" } });
  return outcomeOf(worker, runId);
}

async function changesOf(worker: Worker, runId: string): Promise<readonly AgentEvent[]> {
  const events = (await worker.ask("events", { runId })) as readonly AgentEvent[];
  return events.filter(({ type }) => type === "definition_changed");
}

/** Closes the last process and looks at what it left. */
async function expectConsistent(worker: Worker, { file }: Pick<Left, "file">): Promise<void> {
  await worker.ask("close", {});
  expect(await worker.exited).toBe(0);
  const store = await openSqliteStore({ file });
  await assertConsistent(store.forTenant("default"), "t1");
  await store.close();
}

describe("a run that waits under one build and is decided under another", () => {
  it("continues when nothing changed, and says nothing of it", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "1");
    expect(await approve(second, left)).toMatchObject({ status: "done", text: "told: noted milk" });
    expect(second.executions).toEqual([{ tool: "note", key: left.callId }]);
    expect(await changesOf(second, left.runId)).toEqual([]);
    await expectConsistent(second, left);
  });

  it("fails the call of a tool that is gone, and tells the model", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "tool_gone");
    expect(await approve(second, left)).toMatchObject({ status: "done" });
    expect(second.executions).toEqual([]);
    expect(await second.ask("asked", {})).toMatchObject([{ last: expect.stringContaining("incompatible_definition") }]);
    expect(await changesOf(second, left.runId)).toHaveLength(1);
    await expectConsistent(second, left);
  });

  it("fails the call whose arguments are no longer valid", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "stricter_arguments");
    expect(await approve(second, left)).toMatchObject({ status: "done" });
    expect(second.executions).toEqual([]);
    expect(await second.ask("asked", {})).toMatchObject([{ last: expect.stringContaining("incompatible_definition") }]);
    await expectConsistent(second, left);
  });

  it("takes the approval of another version of the tool for void, and asks anew", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "tool_version");
    const again = await approve(second, left);
    expect(again).toMatchObject({ status: "waiting", open: [{ id: left.callId, suspension: 2 }] });
    expect(second.executions).toEqual([]);
    expect(await second.ask("asked", {})).toEqual([]);
    await expectConsistent(second, left);
    const third = await deploy(left, "tool_version");
    expect(await approve(third, left)).toMatchObject({ status: "done", text: "told: noted milk" });
    expect(third.executions).toEqual([{ tool: "note", key: left.callId }]);
    await expectConsistent(third, left);
  });

  it("takes the approval given under build 1 for void too, when nobody was there to hear it", async () => {
    const left = await leaveWaiting();
    const store = await openSqliteStore({ file: left.file });
    const { runId, callId } = left;
    await store.forTenant("default").decide({
      decision_id: "given before the deploy",
      run_id: runId,
      call_id: callId,
      suspension: 1,
      action: "resume",
      updated_at: Date.now(),
    });
    await store.close();
    const second = await deploy(left, "tool_version");
    expect(await outcomeOf(second, runId)).toMatchObject({ status: "waiting", open: [{ id: callId, suspension: 2 }] });
    expect(second.executions).toEqual([]);
    await expectConsistent(second, left);
  });

  it("continues with a new prompt, and records that the definition changed", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "prompt");
    expect(await approve(second, left)).toMatchObject({ status: "done", text: "told: noted milk" });
    expect(second.executions).toEqual([{ tool: "note", key: left.callId }]);
    expect(await second.ask("asked", {})).toMatchObject([{ prompt: expect.stringContaining("politely") }]);
    const [change, ...more] = await changesOf(second, left.runId);
    expect(more).toEqual([]);
    expect(change).toMatchObject({ data: { agent_id: "worker", from: expect.any(String), to: expect.any(String) } });
    await expectConsistent(second, left);
  });

  it("says that its definition changed once for each deploy that changed it", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "tool_version");
    await approve(second, left);
    await expectConsistent(second, left);
    const third = await deploy(left, "1");
    expect(await approve(third, left)).toMatchObject({ status: "waiting", open: [{ suspension: 3 }] });
    const changes = (await changesOf(third, left.runId)).map(({ data }) => data);
    expect(changes).toHaveLength(2);
    const [there, back] = changes.map((data) => Object(data) as { readonly from: string; readonly to: string });
    expect([back?.from, back?.to]).toEqual([there?.to, there?.from]);
    await expectConsistent(third, left);
  });

  it("issue 14.1: waits for a build that has its agent, and says so", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "agent_gone");
    await second.ask("decide", { target: left.callId, verb: { action: "approve" } });
    const elsewhere = await second.ask("start", { agent: "other", threadId: "t2", input: "hello" });
    expect(await outcomeOf(second, elsewhere)).toMatchObject({ status: "done", text: "heard: hello" });
    expect(await second.ask("missing", {})).toEqual(["worker"]);
    const third = await deploy(left, "1");
    expect(await outcomeOf(third, left.runId)).toMatchObject({ status: "done", text: "told: noted milk" });
    expect(await third.ask("missing", {})).toEqual([]);
    await second.ask("close", {});
    await expectConsistent(third, left);
  });

  it("can be cancelled when its agent is gone, and the thread can be used", async () => {
    const left = await leaveWaiting();
    const second = await deploy(left, "agent_gone");
    await second.ask("cancel", { runId: left.runId });
    expect(await outcomeOf(second, left.runId)).toMatchObject({ status: "cancelled" });
    const next = await second.ask("start", { agent: "other", threadId: "t1", input: "hello" });
    expect(await outcomeOf(second, next)).toMatchObject({ status: "done", text: "heard: hello" });
    await expectConsistent(second, left);
  });
});

describe("a call that was under way when its process was killed", () => {
  async function leaveUnderWay(): Promise<Left> {
    const folder = mkdtempSync(join(tmpdir(), "reprise-builds-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "threads.db");
    const first = await startWorker({ store: { kind: "sqlite", file }, instanceId: "the-one" });
    const runId = await first.ask("start", { threadId: "t1", input: LETTER });
    const callId = await first.executing("letter");
    first.signal("SIGKILL");
    await first.exited;
    return { file, runId, callId };
  }

  it("waits for a person who knows under the same build, and continues after the decision", async () => {
    const left = await leaveUnderWay();
    const second = await deploy(left, "1", { instanceId: "the-one" });
    expect(await outcomeOf(second, left.runId)).toMatchObject({
      status: "waiting",
      open: [{ id: left.callId, ticket: { suspension: { action: "unknown_outcome" } } }],
    });
    await second.ask("decide", { target: left.callId, verb: { action: "supply", result: "it arrived" } });
    expect(await outcomeOf(second, left.runId)).toMatchObject({ status: "done", text: "told: it arrived" });
    expect(second.executions).toEqual([]);
    await expectConsistent(second, left);
  });

  it("issue 14.29: waits for somebody who knows under a build whose tool is another one, which does not run", async () => {
    const left = await leaveUnderWay();
    const second = await deploy(left, "tool_version", { instanceId: "the-one" });
    expect(await outcomeOf(second, left.runId)).toMatchObject({
      status: "waiting",
      open: [{ id: left.callId, ticket: { suspension: { action: "unknown_outcome" } } }],
    });
    expect(await second.ask("asked", {})).toEqual([]);
    await second.ask("decide", { target: left.callId, verb: { action: "supply", result: "it arrived" } });
    expect(await outcomeOf(second, left.runId)).toMatchObject({ status: "done", text: "told: it arrived" });
    expect(second.executions).toEqual([]);
    await expectConsistent(second, left);
  });
});
