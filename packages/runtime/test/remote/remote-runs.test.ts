import type { BackendOutcome, BackendRun, Env, ExecutionBackend } from "@reprise/contracts";
import { createRegistryBuilder, createRuntime, type Runtime } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { dieAtCommit } from "../support/die-at-commit.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { collect, soon, until } from "../support/wait.ts";

type Answer = (run: BackendRun) => BackendOutcome | Promise<BackendOutcome>;

const done = (text: string): BackendOutcome => ({ termination: { type: "natural_end" }, text });
const ask = (...ids: readonly string[]): BackendOutcome => ({
  termination: { type: "suspended" },
  text: "",
  questions: ids.map((id) => ({ id, action: "approval", message: `May I ${id}?`, parameters: { task: `far-${id}` } })),
});

/** A backend that answers one request after the other, and keeps what it was asked. */
function scriptedBackend(...answers: readonly Answer[]) {
  const asked: BackendRun[] = [];
  const cancelled: string[] = [];
  const backend: ExecutionBackend = {
    id: "a2a",
    check: () => undefined,
    async run(_, run) {
      asked.push(run);
      const answer = answers[asked.length - 1];
      if (answer === undefined) throw new Error("asked too often");
      return answer(run);
    },
    async cancel(_, { runId }) {
      cancelled.push(runId);
    },
  };
  return { backend, asked, cancelled };
}

interface Opened extends World {
  readonly runtime: Runtime;
}

async function open(backend: ExecutionBackend, world = createWorld(), env: Env = world.env): Promise<Opened> {
  const spec = { id: "far", endpoint: "https://far.test" };
  const registries = createRegistryBuilder().withBackend(backend).withAgent(spec).build();
  const limits = { closeTimeoutMs: 1 };
  const instanceId = `i${opened++}`;
  const runtime = await createRuntime({ ...world, env, registries, limits, instanceId });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { ...world, runtime };
}
let opened = 0;

const start = (runtime: Runtime) => runtime.start({ agent: "far", threadId: "t1", input: "go" });

/** A runtime whose backend refuses everything: what it replays comes from the recording. */
async function verify(world: World, runId: string) {
  const { runtime } = await open(scriptedBackend().backend, world);
  return soon(runtime.replay(runId));
}

describe("issue 14.4: a run of a remote backend", () => {
  it("ends as the backend says, with its text shown, kept and replayed", async () => {
    const { backend, asked } = scriptedBackend(({ showText }) => {
      showText("Far ");
      showText("away.");
      return done("Far away.");
    });
    const { runtime, store, ...world } = await open(backend);
    const run = await start(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "Far away." });
    const events = await collect(run);
    expect(events.map(({ type }) => type)).toEqual([
      "run_start",
      "step_start",
      "text_delta",
      "text_delta",
      "step_end",
      "run_finish",
    ]);
    expect(asked[0]?.messages).toMatchObject([{ role: "user", content: "go" }]);
    expect(asked[0]?.decisions).toEqual([]);
    await assertConsistent(store.forTenant("default"), "t1");
    expect(await verify({ ...world, store }, run.id)).toMatchObject({ equal: true });
  });

  it("waits for the questions of its backend, which hears each decision", async () => {
    const { backend, asked } = scriptedBackend(
      () => ask("pay", "ship"),
      () => ask("ship"),
      () => done("Paid, not shipped."),
    );
    const { runtime, ...world } = await open(backend);
    const run = await start(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting", run: { termination_code: "input_required" } });
    const [pay, ship] = await runtime.decisions.list({ threadId: "t1" });
    expect(pay).toMatchObject({ arguments: { task: "far-pay" }, ticket: { suspension: { message: "May I pay?" } } });
    await runtime.decisions.decide(pay?.id ?? "", { action: "supply", result: { card: 1 } });
    await until(() => asked.length === 2, "the second request");
    await until(async () => (await runtime.decisions.list({ threadId: "t1" })).length === 1, "one question less");
    await until(async () => (await run.record()).status === "waiting", "the run to wait again");
    await runtime.decisions.decide(ship?.id ?? "", { action: "deny", reason: "too far" });
    await until(async () => (await run.record()).status === "done", "the end");
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "Paid, not shipped." });
    const told = asked.map(({ decisions }) => decisions.map(({ decisionId: _, ...decision }) => decision));
    expect(told).toEqual([
      [],
      [{ questionId: "pay", parameters: { task: "far-pay" }, action: "resume", result: { card: 1 } }],
      [{ questionId: "ship", parameters: { task: "far-ship" }, action: "cancel", reason: "too far" }],
    ]);
    await assertConsistent(world.store.forTenant("default"), "t1");
    expect(await verify(world, run.id)).toMatchObject({ equal: true });
  });

  it("hears a decision again when the owner that took it was lost", async () => {
    const world = createWorld();
    const first = scriptedBackend(
      () => ask("pay"),
      () => new Promise(() => undefined),
    );
    let isFrozen = false;
    const after: Env["clock"]["after"] = (ms, run) => world.env.clock.after(ms, () => (isFrozen ? undefined : run()));
    const never = new Promise<void>(() => undefined);
    const sleep: Env["clock"]["sleep"] = (ms, signal) =>
      world.env.clock.sleep(ms, signal).then(() => (isFrozen ? never : undefined));
    const dying = await open(first.backend, world, { ...world.env, clock: { ...world.env.clock, after, sleep } });
    const run = await start(dying.runtime);
    await soon(run.outcome());
    const [pay] = await dying.runtime.decisions.list({ threadId: "t1" });
    await dying.runtime.decisions.decide(pay?.id ?? "", { action: "approve" });
    await until(() => first.asked.length === 2, "the request with the decision");
    isFrozen = true;
    const second = scriptedBackend(() => done("Paid."));
    const { runtime } = await open(second.backend, world);
    await world.env.advance(13_000);
    expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "Paid." });
    expect(second.asked[0]?.decisions).toEqual(first.asked[1]?.decisions);
    expect(second.asked[0]?.runId).toBe(run.id);
    expect(await verify(world, run.id)).toMatchObject({ equal: true });
  });

  it("tells the backend when its time to decide is up", async () => {
    const question = { id: "pay", action: "approval", expiresInMs: 1_000 };
    const { backend, asked } = scriptedBackend(
      () => ({ termination: { type: "suspended" }, text: "", questions: [question] }),
      () => done("Nobody was there."),
    );
    const { runtime, ...world } = await open(backend);
    const run = await start(runtime);
    await soon(run.outcome());
    await until(async () => {
      await world.env.advance(1_000);
      return asked.length === 2;
    }, "the second request");
    expect(asked[1]?.decisions).toMatchObject([{ questionId: "pay", action: "cancel" }]);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(await verify(world, run.id)).toMatchObject({ equal: true });
  });

  it("is cancelled at work: the backend's signal is aborted, and it is told", async () => {
    const { backend, asked, cancelled } = scriptedBackend(({ showText }) => {
      showText("Hm.");
      return new Promise(() => undefined);
    });
    const { runtime, ...world } = await open(backend);
    const run = await start(runtime);
    await until(() => asked.length === 1, "the request");
    await run.cancel("enough");
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(cancelled).toEqual([run.id]);
    expect(await verify(world, run.id)).toMatchObject({ equal: true });
  });

  it("is cancelled while it waits, and the backend is told", async () => {
    const { backend, cancelled } = scriptedBackend(() => ask("pay"));
    const { runtime, ...world } = await open(backend);
    const run = await start(runtime);
    await soon(run.outcome());
    await run.cancel();
    await until(async () => (await run.record()).status === "done", "the end");
    expect(cancelled).toEqual([run.id]);
    expect(await runtime.decisions.list({ threadId: "t1" })).toEqual([]);
    expect(await verify(world, run.id)).toMatchObject({ equal: true });
  });

  it("tells the backend of a waiting run that a message superseded it", async () => {
    const { backend, cancelled } = scriptedBackend(
      () => ask("pay"),
      () => done("Something else."),
    );
    const { runtime } = await open(backend);
    const run = await start(runtime);
    await soon(run.outcome());
    const other = await start(runtime);
    expect(await soon(other.outcome())).toMatchObject({ status: "done", text: "Something else." });
    expect(cancelled).toEqual([run.id]);
  });

  it("tells the backend of a superseded run also when the process dies right after the commit that superseded it", async () => {
    const world = createWorld();
    const { backend, cancelled } = scriptedBackend(
      () => ask("pay"),
      () => done("Something else."),
    );
    const first = await open(backend, world);
    const run = await start(first.runtime);
    await soon(run.outcome());
    await soon(first.runtime.close());
    const mortal = dieAtCommit(world, 1, "after");
    const second = await open(backend, { ...world, store: mortal.store }, mortal.env);
    const other = await start(second.runtime);
    await until(() => mortal.isDead(), "the death");
    expect(cancelled).toEqual([]);
    const third = await open(backend, world);
    for (let turn = 0; turn < 10; turn += 1) await world.env.advance(3_000);
    expect(await soon((await third.runtime.run(other.id)).outcome())).toMatchObject({ status: "done" });
    expect(cancelled).toEqual([run.id]);
    expect(await verify(world, other.id)).toMatchObject({ equal: true });
  });

  it.each<readonly [string, Answer, RegExp]>([
    ["throws", () => Promise.reject(new Error("no route")), /^Backend a2a failed: no route\.$/],
    ["suspends without a question", () => ({ ...ask(), questions: [] }), /without a question/],
    ["answers with something else", () => ({ termination: { type: "bored" }, text: 1 }) as never, /`termination`.type/],
  ])("fails with BACKEND_FAILED when its backend %s", async (_, answer, message) => {
    const { runtime, ...world } = await open(scriptedBackend(answer).backend);
    const run = await start(runtime);
    expect(await soon(run.outcome())).toMatchObject({
      status: "failed",
      code: "BACKEND_FAILED",
      error: expect.stringMatching(message),
    });
    expect(await verify(world, run.id)).toMatchObject({ equal: true });
  });
});
