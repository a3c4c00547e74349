import { type LanguageModel, type ModelChunk, ModelError } from "@reprise/contracts";
import { createRuntime, defineAgent, type Runtime } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld, openRuntime, type World } from "../support/open-runtime.ts";
import { collect, settle, soon, typesOf, until } from "../support/wait.ts";

type Turn = string | ModelError | { readonly said: string; readonly broken: ModelError };

const limited = (retryAfterMs?: number): ModelError =>
  new ModelError("rate_limit", "Too many requests.", retryAfterMs === undefined ? {} : { retryAfterMs });
const failed = (): ModelError => new ModelError("server_error", "It broke.");

/** A model that answers or fails, turn by turn; the last turn stays. */
function modelOf(turns: readonly Turn[]): LanguageModel & { readonly asked: () => number } {
  let asked = 0;
  return {
    id: "only",
    asked: () => asked,
    async *stream(): AsyncGenerator<ModelChunk> {
      const turn = turns[Math.min(asked, turns.length - 1)] ?? "";
      asked += 1;
      if (typeof turn === "string") {
        yield { type: "text_delta", delta: turn };
        return yield { type: "finish", stop_reason: "end_turn" };
      }
      if (ModelError.is(turn)) throw turn;
      yield { type: "text_delta", delta: turn.said };
      throw turn.broken;
    },
  };
}

/** Starts a run on a thread and lets everything happen that takes no time. */
async function begin(runtime: Runtime, threadId = "t1", input = "go") {
  const run = await runtime.start({ agent: "agent", threadId, input });
  await settle();
  return run;
}

describe("issue 14.3: a run whose only model cannot be asked", () => {
  it("gives its claim back while it waits, and completes when the time has come", async () => {
    const model = modelOf([limited(60_000), "at last"]);
    const { runtime, env, store } = await openRuntime({ model });
    const run = await begin(runtime);
    const outcome = run.outcome();
    const events = Array.fromAsync(run.events());
    expect(await run.record()).toMatchObject({
      status: "waiting",
      termination_code: "model_waiting",
      model_wait: { since: env.clock.now(), until: env.clock.now() + 60_000, reason: "rate_limited" },
    });
    expect(await store.operator.listLeases("default")).toEqual([]);
    expect(await runtime.decisions.list({ threadId: "t1" })).toEqual([]);
    await env.advance(59_000);
    expect(model.asked()).toBe(1);
    await env.advance(2_000);
    expect(await soon(outcome)).toMatchObject({ status: "done", text: "at last" });
    expect(await run.record()).not.toHaveProperty("model_wait");
    // Who read from the start reads on: the wait is no end.
    const seen = await soon(events);
    expect(seen.find(({ type }) => type === "model_waiting")?.data).toMatchObject({ reason: "rate_limited" });
    expect(typesOf(seen).filter((type) => type === "run_start" || type === "run_finish")).toEqual([
      "run_start",
      "run_start",
      "run_finish",
    ]);
    expect((await soon(runtime.replay(run.id))).equal).toBe(true);
  });

  it("is completed by another process when its own is gone", async () => {
    const world = createWorld();
    const model = modelOf([limited(60_000), "elsewhere"]);
    const first = await openRuntime({ world, model, instanceId: "one" });
    const run = await begin(first.runtime);
    await soon(first.runtime.close());
    const second = await openRuntime({ world, model, instanceId: "two" });
    const outcome = second.runtime.run(run.id).then((handle) => handle.outcome());
    await world.env.advance(61_000);
    expect(await soon(outcome)).toMatchObject({ status: "done", text: "elsewhere" });
  });

  it("waits in place when that takes ten seconds or less", async () => {
    const model = modelOf([limited(9_000), "soon"]);
    const { runtime, env } = await openRuntime({ model, agent: { retryPolicy: { maxAttemptsPerModel: 1 } } });
    const run = await begin(runtime);
    expect((await run.record()).status).toBe("running");
    const outcome = run.outcome();
    await env.advance(9_000);
    expect(await soon(outcome)).toMatchObject({ status: "done", text: "soon" });
    const types = typesOf(await collect(run));
    expect(types.filter((type) => type === "run_start" || type === "model_waiting")).toEqual([
      "run_start",
      "model_waiting",
    ]);
    expect((await soon(runtime.replay(run.id))).equal).toBe(true);
  });

  it("is cancelled while it waits, here or without a claim", async () => {
    for (const retryAfterMs of [9_000, 60_000]) {
      const model = modelOf([limited(retryAfterMs), "never"]);
      const { runtime } = await openRuntime({ model, agent: { retryPolicy: { maxAttemptsPerModel: 1 } } });
      const run = await begin(runtime);
      await run.cancel("enough");
      expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
      expect(await run.record()).not.toHaveProperty("model_wait");
      expect(model.asked()).toBe(1);
      expect((await soon(runtime.replay(run.id))).equal).toBe(true);
    }
  });

  it("tries again until its patience is at an end, and fails with the kind of failure", async () => {
    const model = modelOf([limited(40_000)]);
    const { runtime, env } = await openRuntime({ model, agent: { retryPolicy: { patienceMs: 100_000 } } });
    const run = await begin(runtime);
    const outcome = run.outcome();
    await env.advance(41_000);
    expect((await run.record()).model_wait).toMatchObject({ since: env.clock.now() - 41_000 });
    await env.advance(60_000);
    expect(await soon(outcome)).toMatchObject({ status: "failed", code: "MODEL_RATE_LIMITED" });
    expect(model.asked()).toBe(3);
    expect(await run.record()).toMatchObject({ status: "done", error_code: "MODEL_RATE_LIMITED" });
    expect((await soon(runtime.replay(run.id))).equal).toBe(true);
  });

  it("fails at once without patience", async () => {
    const sections = { retry: { patienceMs: 0, maxRetries: 0 } };
    const { runtime } = await openRuntime({ model: modelOf([limited(60_000)]), agent: { sections } });
    const run = await begin(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "MODEL_RATE_LIMITED" });
  });

  it("is not superseded by messages that come meanwhile: they are answered after it", async () => {
    const model = modelOf([limited(60_000), "first", "second"]);
    const { runtime, env } = await openRuntime({ model });
    const first = await begin(runtime);
    const second = await begin(runtime, "t1", "more");
    expect((await runtime.mailbox.list({ threadId: "t1", status: "queued" })).items).toHaveLength(2);
    const outcomes = Promise.all([first.outcome(), second.outcome()]);
    await env.advance(61_000);
    expect(await soon(outcomes)).toMatchObject([
      { status: "done", text: "first" },
      { status: "done", text: "second" },
    ]);
  });

  it("withdraws what was shown when no model can continue", async () => {
    const model = modelOf([
      { said: "half", broken: new ModelError("stream_interrupted", "Cut.") },
      limited(60_000),
      "all",
    ]);
    const { runtime, env } = await openRuntime({ model });
    const run = await begin(runtime);
    const outcome = run.outcome();
    await env.advance(61_000);
    expect(await soon(outcome)).toMatchObject({ status: "done", text: "all" });
    expect(typesOf(await collect(run))).toContain("step_reset");
    expect((await soon(runtime.replay(run.id))).equal).toBe(true);
  });

  it("waits for whichever model of its route is free first", async () => {
    const world = createWorld();
    const runtime = await openPair(world, modelOf([limited(90_000), "a"]), modelOf([limited(30_000), "b"]));
    const run = await begin(runtime);
    const outcome = run.outcome();
    expect((await run.record()).model_wait).toMatchObject({ until: world.env.clock.now() + 30_000 });
    await world.env.advance(31_000);
    expect(await soon(outcome)).toMatchObject({ status: "done", text: "b" });
  });
});

describe("issue 14.3: a model that failed five times", () => {
  it("is tried by the next run at once when it is the only way, by one at a time", async () => {
    const model = modelOf([...Array.from({ length: 6 }, failed), "well again"]);
    const { runtime, env } = await openRuntime({ model, agent: { sections: { retry: { max_retries: 0 } } } });
    for (const threadId of ["1", "2", "3", "4"]) {
      const run = await begin(runtime, threadId);
      expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "MODEL_SERVER_ERROR" });
    }
    // The fifth failure opens the breaker: from here on runs wait instead of failing.
    const waiting = [await begin(runtime, "5"), await begin(runtime, "6")];
    expect(model.asked()).toBe(6);
    for (const run of waiting) expect((await run.record()).model_wait).toMatchObject({ reason: "breaker_open" });
    const outcomes = Promise.all(waiting.map((run) => run.outcome()));
    await until(async () => {
      await env.advance(1_000);
      return (await Promise.all(waiting.map((run) => run.record()))).every(({ status }) => status === "done");
    });
    expect(await soon(outcomes)).toMatchObject([{ text: "well again" }, { text: "well again" }]);
  });
});

describe("issue 14.3: how often a model is asked", () => {
  it.each([
    ["twice when nothing is said", {}, 2],
    ["once with max_retries 0", { sections: { retry: { max_retries: 0 } } }, 1],
    ["once with max_attempts_per_model 1", { retryPolicy: { maxAttemptsPerModel: 1 } }, 1],
    ["four times with max_retries 3", { sections: { retry: { max_retries: 3 } } }, 4],
  ])("%s", async (_, agent, attempts) => {
    const model = modelOf([failed()]);
    const { runtime, env } = await openRuntime({ model, agent });
    const run = await begin(runtime);
    const outcome = run.outcome();
    await env.advance(30_000);
    expect(await soon(outcome)).toMatchObject({ status: "failed", code: "MODEL_SERVER_ERROR" });
    expect(model.asked()).toBe(attempts);
  });
});

/** A runtime whose agent has a model and one that stands in for it, of two providers. */
async function openPair(world: World, first: LanguageModel, second: LanguageModel): Promise<Runtime> {
  const runtime = await createRuntime({
    ...world,
    providers: [
      { id: "a", model: () => first },
      { id: "b", model: () => second },
    ],
    agents: [defineAgent({ id: "agent", model: "a/one", fallbackModels: ["b/one"] })],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}
