import type { ToolDescriptor } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routeTool, splitByClass } from "../../src/tools/pools/routing-class.ts";
import { RunPools } from "../../src/tools/pools/run-pools.ts";
import { type Release, Semaphore } from "../../src/tools/pools/semaphore.ts";
import { ToolPools } from "../../src/tools/pools/tool-pools.ts";
import { settle } from "../support/wait.ts";

const NEVER = new AbortController().signal;

/** Asks for a place and notes under a name when it is there. */
function queue(entered: string[]) {
  return (name: string, asked: Promise<Release>): Promise<Release> =>
    asked.then((release) => {
      entered.push(name);
      return release;
    });
}

describe("a semaphore", () => {
  it("lets in as many as it has permits, and the others in the order they came", async () => {
    const semaphore = new Semaphore(2);
    const entered: string[] = [];
    const enter = queue(entered);
    const held = ["a", "b", "c", "d", "e"].map((name) => enter(name, semaphore.acquire(NEVER)));
    await settle(1);
    expect(entered).toEqual(["a", "b"]);
    (await held[1])?.();
    await settle(1);
    expect(entered).toEqual(["a", "b", "c"]);
    (await held[0])?.();
    (await held[2])?.();
    await settle(1);
    expect(entered).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("lets no caller past those who wait", async () => {
    const semaphore = new Semaphore(1);
    const entered: string[] = [];
    const enter = queue(entered);
    const first = await enter("first", semaphore.acquire(NEVER));
    const second = enter("second", semaphore.acquire(NEVER));
    first();
    const third = enter("third", semaphore.acquire(NEVER));
    await settle(1);
    expect(entered).toEqual(["first", "second"]);
    (await second)();
    await third;
    expect(entered).toEqual(["first", "second", "third"]);
  });

  it("takes a permit back once, however often it is given", async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire(NEVER);
    release();
    release();
    await semaphore.acquire(NEVER);
    let isIn = false;
    void semaphore.acquire(NEVER).then(() => {
      isIn = true;
    });
    await settle(1);
    expect(isIn).toBe(false);
  });

  it("refuses who gives up waiting, with the reason, and loses no permit by it", async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire(NEVER);
    const controller = new AbortController();
    const given = semaphore.acquire(controller.signal);
    const patient = semaphore.acquire(NEVER);
    controller.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    await expect(semaphore.acquire(controller.signal)).rejects.toThrow("enough");
    release();
    (await patient)();
    await expect(semaphore.acquire(NEVER)).resolves.toBeTypeOf("function");
  });

  it("gives the permit to who was let in just before giving up", async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire(NEVER);
    const controller = new AbortController();
    const waiting = semaphore.acquire(controller.signal);
    release();
    controller.abort(new Error("too late"));
    (await waiting)();
    await expect(semaphore.acquire(NEVER)).resolves.toBeTypeOf("function");
  });

  it("never lets in too many nor loses a permit, whichever waiters come, go and give up", async () => {
    const steps = fc.array(fc.record({ do: fc.constantFrom("come", "go", "give up"), pick: fc.nat(9) }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (permits, sequence) => {
        const semaphore = new Semaphore(permits);
        const inside: Release[] = [];
        const outside = new Map<AbortController, true>();
        for (const { do: step, pick } of sequence) {
          if (step === "go") inside.splice(pick % Math.max(inside.length, 1), 1)[0]?.();
          else if (step === "give up") [...outside.keys()][pick % Math.max(outside.size, 1)]?.abort();
          else {
            const controller = new AbortController();
            outside.set(controller, true);
            semaphore
              .acquire(controller.signal)
              .then((release) => inside.push(release))
              .catch(() => undefined)
              .finally(() => outside.delete(controller));
          }
          await settle(1);
          expect(inside.length).toBeLessThanOrEqual(permits);
          expect(outside.size === 0 || inside.length === permits).toBe(true);
        }
      }),
    );
  });
});

describe("the pools of a tree of agents", () => {
  const SIZES = { read: 2, serial: 1, concurrent: 2 };

  async function isFree(
    pools: ToolPools,
    route: "read_only" | "serial" | "concurrent",
    tool: Parameters<ToolPools["admit"]>[1] = { id: "t" },
  ): Promise<boolean> {
    const controller = new AbortController();
    const asked = pools.admit(route, tool, controller.signal);
    const entered = asked.then(
      (release) => {
        release();
        return true;
      },
      () => false,
    );
    await settle(1);
    controller.abort();
    return entered;
  }

  it("have places of each size, apart from each other", async () => {
    const pools = ToolPools.create(SIZES);
    for (const [route, size] of [
      ["read_only", 2],
      ["serial", 1],
      ["concurrent", 2],
    ] as const) {
      for (let taken = 0; taken < size; taken += 1) {
        expect(await isFree(pools, route)).toBe(true);
        await pools.admit(route, { id: "t" }, NEVER);
      }
      expect(await isFree(pools, route)).toBe(false);
    }
  });

  it("share reading and writing with an agent below, in both directions, and nothing else", async () => {
    const parent = ToolPools.create(SIZES);
    const child = parent.forkForSubagent();
    const grandchild = child.forkForSubagent();
    await parent.admit("serial", { id: "t" }, NEVER);
    await child.admit("read_only", { id: "t" }, NEVER);
    await grandchild.admit("read_only", { id: "t" }, NEVER);
    for (const pools of [parent, child, grandchild]) {
      expect([await isFree(pools, "serial"), await isFree(pools, "read_only")]).toEqual([false, false]);
    }
    await parent.admit("concurrent", { id: "t" }, NEVER);
    await parent.admit("concurrent", { id: "t" }, NEVER);
    expect([
      await isFree(parent, "concurrent"),
      await isFree(child, "concurrent"),
      await isFree(grandchild, "concurrent"),
    ]).toEqual([false, true, true]);
  });

  it("limit a tool at one level, and give its place back with the other", async () => {
    const pools = ToolPools.create(SIZES);
    const release = await pools.admit("concurrent", { id: "a", max: 1 }, NEVER);
    expect(await isFree(pools, "concurrent", { id: "a", max: 1 })).toBe(false);
    expect(await isFree(pools, "concurrent", { id: "b", max: 1 })).toBe(true);
    expect(await isFree(pools.forkForSubagent(), "concurrent", { id: "a", max: 1 })).toBe(true);
    release();
    release();
    expect(await isFree(pools, "concurrent", { id: "a", max: 1 })).toBe(true);
  });

  it("give the tool's place back when the other is given up", async () => {
    const pools = ToolPools.create({ ...SIZES, concurrent: 1 });
    const release = await pools.admit("concurrent", { id: "other" }, NEVER);
    const controller = new AbortController();
    const waiting = pools.admit("concurrent", { id: "a", max: 1 }, controller.signal);
    await settle(1);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    release();
    expect(await isFree(pools, "concurrent", { id: "a", max: 1 })).toBe(true);
  });

  it("let calls in as they came, also when only some of their tools are limited", async () => {
    const pools = ToolPools.create({ ...SIZES, concurrent: 1 });
    const entered: string[] = [];
    const enter = queue(entered);
    const held = [
      enter("limited", pools.admit("concurrent", { id: "a", max: 5 }, NEVER)),
      enter("free", pools.admit("concurrent", { id: "b" }, NEVER)),
    ];
    await settle(1);
    expect(entered).toEqual(["limited"]);
    (await held[0])?.();
    await held[1];
    expect(entered).toEqual(["limited", "free"]);
  });

  it("are those of the run above while that is at work here, and new ones otherwise", async () => {
    const runs = new RunPools(SIZES);
    const parent = runs.open("tenant", "parent", undefined);
    const child = runs.open("tenant", "child", "parent");
    await child.admit("serial", { id: "t" }, NEVER);
    expect(await isFree(parent, "serial")).toBe(false);
    expect(await isFree(runs.open("tenant", "stranger", undefined), "serial")).toBe(true);
    runs.close("tenant", "parent", parent);
    expect(await isFree(runs.open("tenant", "late", "parent"), "serial")).toBe(true);
  });

  it("of a run that is taken up again outlive the end of its earlier activation", async () => {
    const runs = new RunPools(SIZES);
    const first = runs.open("tenant", "run", undefined);
    const again = runs.open("tenant", "run", undefined);
    // The first activation ends late: it had lost its claim, and the same process won it back.
    runs.close("tenant", "run", first);
    await again.admit("serial", { id: "t" }, NEVER);
    expect(await isFree(runs.open("tenant", "child", "run"), "serial")).toBe(false);
  });
});

describe("the class of a tool", () => {
  const describeWith = (definition: Partial<Parameters<typeof defineTool>[0]>): ToolDescriptor =>
    defineTool({ id: "t", description: "t", ...definition, execute: () => null }).descriptor;

  it.each([
    [{}, {}, "serial"],
    [{}, { t: {} }, "concurrent"],
    [{}, { t: { max: 1 } }, "concurrent"],
    [{}, { other: {} }, "serial"],
    [{ class: "read_only" }, {}, "read_only"],
    [{ class: "read_only" }, { t: {} }, "read_only"],
    [{ recursive: true }, {}, "concurrent"],
    [{ recursive: true, class: "read_only" }, {}, "concurrent"],
    [{ idempotent: true, destructive: true }, {}, "serial"],
  ] as const)("of %j promoted by %j is %s", (definition, promoted, route) => {
    expect(routeTool(describeWith(definition), promoted)).toBe(route);
  });

  it("is short_circuit where there is no tool, and no promotion is inherited from Object", () => {
    expect(routeTool(undefined, { t: {} })).toBe("short_circuit");
    expect(routeTool(describeWith({ id: "constructor" }), {})).toBe("serial");
  });
});

describe("a round", () => {
  it("is split where the class changes, and nowhere else", () => {
    const classes = fc.constantFrom("read_only", "concurrent", "serial", "short_circuit");
    fc.assert(
      fc.property(fc.array(classes, { maxLength: 20 }), (routes) => {
        const calls = routes.map((route, index) => ({ route, index }));
        const runs = splitByClass(calls, ({ route }) => route);
        expect(runs.flatMap((run) => run.calls)).toEqual(calls);
        for (const [place, run] of runs.entries()) {
          expect(run.calls.length).toBeGreaterThan(0);
          expect(run.calls.every(({ route }) => route === run.route)).toBe(true);
          expect(runs[place + 1]?.route).not.toBe(run.route);
        }
      }),
    );
  });
});
