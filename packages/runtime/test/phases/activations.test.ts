import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { gate, settle, soon } from "../support/wait.ts";
import { openPlugins, playPlugins } from "./support/play-plugins.ts";

const request = { agent: "agent", threadId: "t1", input: "go" } as const;

/** A plugin that notes the boundaries of a run, each with who saw it. */
function noting(seen: string[], who = "", id = "p") {
  const note = (what: string) => (): undefined => void seen.push(`${who}${what}`);
  return definePlugin({
    id,
    hooks: {
      runStart: note("run_start"),
      runEnd: ({ termination }): undefined => void seen.push(`${who}run_end ${termination.type}`),
    },
    onActivate: note("activate"),
    onDeactivate: note("deactivate"),
  });
}

it("hears once of its beginning and its end", async () => {
  const seen: string[] = [];
  await playPlugins([noting(seen)]);
  expect(seen).toEqual(["activate", "run_start", "run_end natural_end", "deactivate"]);
});

it("hears of every activation, also in another process", async () => {
  const seen: string[] = [];
  const world = createWorld();
  const tools = [countingTool({ needsApproval: true }).tool];
  const first = await openPlugins([noting(seen, "1 ")], { world, tools });
  const run = await first.runtime.start(request);
  const outcome = await soon(run.outcome());
  await settle();
  await first.runtime.close();
  const second = await openPlugins([noting(seen, "2 ")], { world, tools, script: ["ok"] });
  const id = outcome.status === "waiting" ? outcome.open[0]?.id : undefined;
  await second.runtime.decisions.decide(id ?? "", { action: "approve" });
  await soon((await second.runtime.run(run.id)).outcome());
  await settle();
  expect(seen).toEqual([
    ...["1 activate", "1 run_start", "1 run_end suspended", "1 deactivate"],
    ...["2 activate", "2 run_start", "2 run_end natural_end", "2 deactivate"],
  ]);
});

it("closes what it opened after the last hook, however the run ends", async () => {
  const failing: string[] = [];
  await playPlugins([noting(failing)], { script: [[{ fail: "auth" }]] });
  await settle();
  expect(failing).toEqual(["activate", "run_start", "run_end error", "deactivate"]);

  const cancelled: string[] = [];
  const { runtime } = await openPlugins([noting(cancelled)], {
    script: [[{ stall: true }]],
    limits: { modelIdleTimeoutMs: null },
  });
  const run = await runtime.start(request);
  await settle();
  await run.cancel();
  await soon(run.outcome());
  await settle();
  expect(cancelled).toEqual(["activate", "run_start", "run_end cancelled", "deactivate"]);
});

it("activates in order and deactivates in the reverse one", async () => {
  const seen: string[] = [];
  await playPlugins([noting(seen, "a ", "a"), noting(seen, "b ", "b")]);
  await settle();
  expect(seen.filter((line) => line.includes("activate"))).toEqual([
    ...["a activate", "b activate"],
    ...["b deactivate", "a deactivate"],
  ]);
});

describe("a plugin that cannot be activated", () => {
  const refusing = definePlugin({
    id: "refusing",
    onActivate: () => {
      throw new Error("no licence");
    },
    onDeactivate: () => {
      throw new Error("never active");
    },
  });

  it("fails the run before the model is asked, and those before it are deactivated", async () => {
    const seen: string[] = [];
    const { failure, model, env } = await playPlugins([noting(seen), refusing]);
    expect(failure).toMatchObject({
      code: "PLUGIN_FAILED",
      message: "Plugin refusing could not be activated: no licence",
    });
    expect(model.requests).toEqual([]);
    expect(seen).toContain("activate");
    expect(seen.filter((line) => line === "deactivate")).toHaveLength(1);
    expect(JSON.stringify(env.lines)).not.toContain("never active");
  });

  it("does not keep a run from being cancelled while it tries", async () => {
    const stuck = definePlugin({ id: "stuck", onActivate: () => gate().promise });
    const { runtime } = await openPlugins([stuck]);
    const run = await runtime.start(request);
    await settle();
    await run.cancel();
    await settle();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  });

  it("fails the run when it tries for too long", async () => {
    const stuck = definePlugin({ id: "stuck", onActivate: () => gate().promise });
    const { runtime, env } = await openPlugins([stuck], { limits: { hookTimeoutMs: 700 } });
    const run = await runtime.start(request);
    await settle();
    await env.advance(701);
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", error: expect.stringContaining("stuck") });
  });
});

it("only logs a plugin that cannot be deactivated", async () => {
  const broken = definePlugin({ id: "broken", onDeactivate: () => Promise.reject(new Error("boom")) });
  const { outcome, env } = await playPlugins([broken]);
  await settle();
  expect(outcome).toMatchObject({ status: "done", text: "ok" });
  const details = { plugin: "broken", problem: "boom" };
  expect(env.lines).toContainEqual(
    expect.objectContaining({ level: "error", details: expect.objectContaining(details) }),
  );
});

it("ends a run that is failing although its hooks of run_end fail too", async () => {
  const plugin = definePlugin({
    id: "p",
    hooks: {
      runEnd: () => {
        throw new Error("boom");
      },
    },
  });
  const { outcome, env } = await playPlugins([plugin], { script: [[{ fail: "auth" }]] });
  expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("auth") });
  const line = { level: "error", message: "the end of a run went without its plugins" };
  expect(env.lines).toContainEqual(expect.objectContaining(line));
});

it("leaves an agent without plugins alone", async () => {
  const { runtime } = await openRuntime({ script: ["ok"] });
  expect(await soon(runtime.runToCompletion(request))).toMatchObject({ status: "done" });
});
