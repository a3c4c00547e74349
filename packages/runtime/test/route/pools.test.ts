import { RepriseError } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { rankPool } from "../../src/route/rank-pool.ts";
import { collect, soon } from "../support/wait.ts";

const env = createFakeEnv();
const poolOf = (weights: Readonly<Record<string, number>>) =>
  Object.entries(weights).map(([name, weight]) => ({ name, weight, item: name }));

describe("the order of a pool", () => {
  it("is the same for a key whenever and wherever it is asked for, and names everybody once", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const order = rankPool(env, key, poolOf({ a: 1, b: 2, c: 3 }));
        expect(rankPool(createFakeEnv(), key, poolOf({ c: 3, a: 1, b: 2 }))).toEqual(order);
        expect(order.toSorted()).toEqual(["a", "b", "c"]);
      }),
    );
  });

  it("gives everybody keys by weight", () => {
    const homes = Array.from(
      { length: 6_000 },
      (_, key) => rankPool(env, `thread-${key}`, poolOf({ a: 1, b: 2, c: 3 }))[0],
    );
    const share = (name: string) => homes.filter((home) => home === name).length / homes.length;
    // Six standard deviations of a share of 6,000 draws are below 0.04.
    expect(Math.abs(share("a") - 1 / 6)).toBeLessThan(0.04);
    expect(Math.abs(share("b") - 2 / 6)).toBeLessThan(0.04);
    expect(Math.abs(share("c") - 3 / 6)).toBeLessThan(0.04);
  });

  it("moves nobody who was not at home with the one that left", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const [home, next] = rankPool(env, key, poolOf({ a: 1, b: 2, c: 3 }));
        const [without] = rankPool(env, key, poolOf({ a: 1, b: 2 }));
        expect(without).toBe(home === "c" ? next : home);
      }),
    );
  });
});

/** A runtime whose agent speaks through a pool of two models, or through what is given instead. */
async function openPool(
  pool: unknown = { id: "fast", pool: [{ model: "p/a" }, { model: "p/b", weight: 2 }] },
  failing = "",
) {
  const fake = createFakeEnv();
  const answer = (name: string) => scriptedModel(() => (name === failing ? [{ fail: "server_error" }] : name), name);
  const runtime = await createRuntime({
    env: fake,
    store: createMemoryStore({ clock: fake.clock }),
    blobs: createMemoryBlobStore(fake),
    models: ["a", "b"].map((name) => ({ id: `p/${name}`, provider: "p", model: name })).concat(pool as never),
    providers: [{ id: "p", model: answer }],
    agents: [defineAgent({ id: "agent", model: "fast", retryPolicy: { maxAttemptsPerModel: 1 } })],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const ask = async (threadId: string): Promise<string> => {
    const outcome = await soon((await runtime.start({ agent: "agent", threadId, input: "go" })).outcome());
    return outcome.status === "done" ? outcome.text : outcome.status;
  };
  return { runtime, ask };
}

describe("an agent that speaks through a pool", () => {
  it("goes back to its thread's home turn after turn, and other threads to theirs", async () => {
    const { ask } = await openPool();
    const threads = Array.from({ length: 12 }, (_, index) => `thread-${index}`);
    const first = await Promise.all(threads.map(ask));
    expect(new Set(first)).toEqual(new Set(["a", "b"]));
    expect(await Promise.all(threads.map(ask))).toEqual(first);
  });

  it("is answered by the others when its home does not answer", async () => {
    const whole = await openPool();
    const atHome = (await Promise.all(["t1", "t2", "t3", "t4", "t5", "t6"].map(whole.ask))).indexOf("a") + 1;
    const { ask } = await openPool(undefined, "a");
    expect(await ask(`t${atHome}`)).toBe("b");
  });

  it("tells who could have been asked", async () => {
    const { runtime } = await openPool();
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const fact = (await collect(run)).find(({ type }) => type === "model_routed")?.data as { candidates: string[] };
    expect(fact).toMatchObject({ requested: "fast", reason: "first choice" });
    expect(fact.candidates.toSorted()).toEqual(["p/a", "p/b"]);
  });

  it.each<[string, unknown, RegExp]>([
    ["nobody", { id: "fast", pool: [] }, /at least one model/],
    ["a weight of nothing", { id: "fast", pool: [{ model: "p/a", weight: 0 }] }, /above 0/],
    ["the same twice", { id: "fast", pool: [{ model: "p/a" }, { model: "p/a" }] }, /twice/],
    ["somebody nobody knows", { id: "fast", pool: [{ model: "nowhere" }] }, /nowhere/],
    ["itself", { id: "fast", pool: [{ model: "p/a" }, { model: "fast" }] }, /fast/],
  ])("is refused at the start with %s in it", async (_, pool, problem) => {
    const opening = openPool(pool);
    await expect(opening).rejects.toThrow(RepriseError);
    await expect(opening).rejects.toThrow(problem);
  });
});
