import { describe, expect, it } from "vitest";
import { createFakeEnv } from "./create-fake-env.ts";

describe("the fake environment", () => {
  it("wakes sleepers in the order of their times, when told", async () => {
    const env = createFakeEnv({ now: 1_000 });
    const woken: string[] = [];
    void env.clock.sleep(20).then(() => woken.push(`late ${env.clock.now()}`));
    void env.clock.sleep(10).then(() => woken.push(`early ${env.clock.now()}`));
    await env.advance(9);
    expect(woken).toEqual([]);
    await env.advance(30);
    expect(woken).toEqual(["early 1010", "late 1020"]);
    expect([env.clock.now(), env.clock.mono(), env.clock.sleeping]).toEqual([1_039, 39, 0]);
  });

  it("wakes a sleeper that went to sleep again on the way", async () => {
    const env = createFakeEnv();
    const ticks: number[] = [];
    void (async () => {
      for (let tick = 0; tick < 3; tick += 1) {
        await env.clock.sleep(10);
        ticks.push(env.clock.mono());
      }
    })();
    await env.advance(30);
    expect(ticks).toEqual([10, 20, 30]);
  });

  it("ends a sleep with the signal's reason", async () => {
    const env = createFakeEnv();
    const controller = new AbortController();
    const sleep = env.clock.sleep(10, controller.signal);
    controller.abort(new Error("enough"));
    await expect(sleep).rejects.toThrow("enough");
    await expect(env.clock.sleep(10, controller.signal)).rejects.toThrow("enough");
    expect(env.clock.sleeping).toBe(0);
  });

  it("makes the same ids and numbers from the same seed", () => {
    const take = (seed: number) => {
      const env = createFakeEnv({ seed });
      return [env.ids.uuid(), env.ids.uuid(), env.random(), env.random()];
    };
    expect(take(7)).toEqual(take(7));
    expect(take(7)).not.toEqual(take(8));
    expect(take(7)[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("hashes as SHA-256", () => {
    expect(createFakeEnv().hash("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  it("throws, holds and calls back at fault points, and costs nothing at others", async () => {
    const { point, faults } = createFakeEnv();
    expect(point("quiet")).toBeUndefined();

    faults.once("broken", new Error("power cut"));
    await expect(point("broken")).rejects.toThrow("power cut");
    expect(point("broken")).toBeUndefined();

    const held = faults.hold("held");
    let passed = false;
    const passing = point("held")?.then(() => {
      passed = true;
    });
    await held.reached;
    expect(passed).toBe(false);
    held.release();
    await passing;
    expect(faults.seen).toEqual(["quiet", "broken", "broken", "held"]);
  });

  it("keeps the log", () => {
    const env = createFakeEnv();
    env.log("warn", "slow", { ms: 5 });
    expect(env.lines).toEqual([{ level: "warn", message: "slow", details: { ms: 5 } }]);
  });
});
