import { changeState, type ErrorCode, PHASES, RepriseError } from "@reprise/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { settle, soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { changesOf, openPlugins, playPlugins } from "./support/play-plugins.ts";
import { tally } from "./support/tally.ts";

const request = { agent: "agent", threadId: "t1", input: "go" } as const;
const changing = (id: string, phase: (typeof PHASES)[number]) =>
  hookPlugin(id, phase, () => [changeState(tally.add(id))], { states: [tally] });

const boom = (): never => {
  throw new Error("boom");
};

describe.each(PHASES)("a hook of %s that fails", (phase) => {
  it.each([
    ["throws", boom],
    ["rejects", async () => boom()],
  ])("fails the run when it %s, and nothing of the phase is committed", async (_, hook) => {
    const before = changing("before", phase);
    const { outcome, failure, changesets, tenant, env } = await playPlugins([before, hookPlugin("p", phase, hook)]);
    expect(outcome.status).toBe("failed");
    expect(failure).toEqual({ code: "PLUGIN_FAILED", message: `Plugin p failed in ${phase}: boom` });
    expect(changesOf(changesets, "before")).toEqual({ patches: [], actions: [] });
    await assertConsistent(tenant, "t1");
    expect(env.lines.some(({ message }) => message === "a run failed")).toBe(true);
  });

  it("fails the run when it never answers", async () => {
    const { runtime, env, tenant } = await openPlugins([hookPlugin("p", phase, () => new Promise(() => undefined))], {
      limits: { hookTimeoutMs: 700 },
    });
    const run = await runtime.start(request);
    await settle();
    await env.advance(699);
    await settle();
    expect(await run.record()).toMatchObject({ status: "running" });
    await env.advance(1);
    await settle();
    // The end of a failing run asks the hooks of run_end once more.
    await env.advance(700);
    const message = `Plugin p failed in ${phase}: It took longer than 700 ms.`;
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", error: message });
    await assertConsistent(tenant, "t1");
  });

  it.each(["VERSION_CONFLICT", "STORE_UNAVAILABLE", "STALE_EPOCH", "NOT_SUSPENDED"] satisfies ErrorCode[])(
    "fails the run when its error looks like the runtime's own %s",
    async (code) => {
      const hook = () => {
        throw new RepriseError(code, "a store of the plugin's own");
      };
      const { runtime } = await openPlugins([hookPlugin("p", phase, hook)]);
      const run = await runtime.start(request);
      const outcome = await soon(run.outcome());
      expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("Plugin p failed") });
    },
  );
});

it("never lets a call through when the hook that should guard it fails", async () => {
  for (const hook of [boom, async () => boom(), () => [{ type: "nonsense" }]]) {
    const { keys, outcome, messages } = await playPlugins([hookPlugin("guard", "before_tool_execute", hook)]);
    expect(outcome.status).toBe("failed");
    expect(keys).toEqual([]);
    expect(messages.filter(({ role }) => role === "tool")).toEqual([]);
  }
});

describe("a hook that fails beside others", () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  const others = process.listeners("unhandledRejection");
  beforeAll(() => {
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", note);
  });
  afterAll(() => {
    process.removeListener("unhandledRejection", note);
    for (const listener of others) process.on("unhandledRejection", listener);
  });

  it("leaves no unhandled rejection behind", async () => {
    const late = hookPlugin("late", "step_start", async () => {
      await settle(3);
      boom();
    });
    const { outcome } = await playPlugins([late, hookPlugin("soon", "step_start", boom)]);
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("Plugin soon") });
    await settle();
    expect(unhandled).toEqual([]);
  });
});

describe("a run that is cancelled while a hook waits", () => {
  it.each(PHASES.filter((phase) => phase !== "run_end"))("ends at once, in %s", async (phase) => {
    let asked = 0;
    const hook = () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const { runtime, tenant, keys } = await openPlugins([hookPlugin("p", phase, hook)]);
    const run = await runtime.start(request);
    await settle();
    expect(asked).toBe(1);
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(keys).toHaveLength(phase === "after_tool_execute" ? 1 : 0);
    await assertConsistent(tenant, "t1");
  });

  it("hears its hooks of run_end out, though not for ever", async () => {
    const { runtime, env } = await openPlugins([hookPlugin("p", "run_end", () => new Promise(() => undefined))], {
      script: [[{ stall: true }]],
      limits: { hookTimeoutMs: 700, modelIdleTimeoutMs: null },
    });
    const run = await runtime.start(request);
    await settle();
    await run.cancel();
    await settle();
    expect(await run.record()).toMatchObject({ status: "running" });
    await env.advance(700);
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  });
});
