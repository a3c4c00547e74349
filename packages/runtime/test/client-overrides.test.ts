import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

/** Two models, and an agent that lets clients choose or does not. */
async function openChoosing(clientOverrides: boolean) {
  const models = { own: scriptedModel(() => "own", "own"), other: scriptedModel(() => "other", "other") };
  const runtime = await createRuntime({
    ...createWorld(),
    models: [models.other],
    agents: [
      defineAgent({
        id: "agent",
        model: models.own,
        instructions: "Be brief.",
        chatOptions: { temperature: 1, topP: 0.5 },
        clientOverrides,
      }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, models };
}

describe("issue 14.12: clientOverrides", () => {
  it("lets a client choose model, prompt and settings of one run", async () => {
    const { runtime, models } = await openChoosing(true);
    const overrides = { model: "other", instructions: "Be long.", chatOptions: { temperature: 0 } };
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go", overrides });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "other" });
    expect(models.other.requests).toMatchObject([{ system: "Be long.", options: { temperature: 0, top_p: 0.5 } }]);
    expect((await soon(runtime.replay(run.id))).equal).toBe(true);
    // The next run is the agent's own again.
    await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "again" }));
    expect(models.own.requests).toMatchObject([{ system: "Be brief.", options: { temperature: 1 } }]);
  });

  it("runs the calls of a step one after the other when the client says so", async () => {
    const order: string[] = [];
    const step = defineTool({
      id: "step",
      description: "Takes a step.",
      class: "read_only",
      async execute() {
        order.push("begin");
        await new Promise((resolve) => setImmediate(resolve));
        order.push("end");
        return null;
      },
    });
    const calls = [
      { call: "step", id: "1" },
      { call: "step", id: "2" },
    ] as const;
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === "tool" ? "done" : calls), "m");
    const runtime = await createRuntime({
      ...createWorld(),
      agents: [defineAgent({ id: "agent", model, tools: [step], clientOverrides: true })],
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const overrides = { toolExecutionMode: "sequential" } as const;
    await soon(runtime.runToCompletion({ agent: "agent", input: "go", overrides }));
    expect(order.splice(0)).toEqual(["begin", "end", "begin", "end"]);
    await soon(runtime.runToCompletion({ agent: "agent", input: "go" }));
    expect(order).toEqual(["begin", "begin", "end", "end"]);
  });

  it.each([
    ["an agent that does not allow it", false, { model: "other" }, "clientOverrides"],
    ["a model nobody knows", true, { model: "nowhere" }, "nowhere"],
    ["an option for one provider", true, { chatOptions: { extra: {} } }, "extra"],
    ["a mode there is not", true, { toolExecutionMode: "all" }, "tool_execution_mode"],
    ["another setting", true, { budget: 1 }, "budget"],
  ])("refuses %s", async (_, isAllowed, overrides, problem) => {
    const { runtime } = await openChoosing(isAllowed);
    const started = runtime.start({ agent: "agent", input: "go", overrides: overrides as never });
    await expect(started).rejects.toThrow(problem);
  });
});

describe("issue 14.12: settings whose plugin is not there", () => {
  it("are warned about", async () => {
    const model = scriptedModel(["done"]);
    const runtime = await createRuntime({
      ...createWorld(),
      agents: [
        defineAgent({
          id: "agent",
          model,
          contextPolicy: { autocompactThreshold: 1_000, compactionMode: "keep_recent_raw_suffix" },
        }),
      ],
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const [agent] = runtime.agents();
    expect(agent?.warnings).toMatchObject([
      { kind: "setting_without_plugin", subject: "context_policy.autocompact_threshold" },
      { kind: "setting_without_plugin", subject: "context_policy.compaction_mode" },
    ]);
  });
});
