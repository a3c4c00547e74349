import { PHASES, type ToolContext, textOf } from "@reprise/contracts";
import { definePlugin, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { settle, soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { openPlugins, playPlugins } from "./support/play-plugins.ts";

it.each(PHASES)("tells a hook of %s where it is", async (phase) => {
  const seen: object[] = [];
  const plugin = hookPlugin("p", phase, (context) => {
    const {
      runId: run_id,
      threadId: thread_id,
      agentId: agent_id,
      tenant,
      step,
      policy,
      parentRunId: parent_run_id,
      now,
      signal,
    } = context;
    seen.push({ phase: context.phase, run_id, thread_id, agent_id, tenant, step, policy, parent_run_id, now });
    expect(signal.aborted).toBe(false);
  });
  const { run, env } = await playPlugins([plugin]);
  const step = { run_start: 0, run_end: 2 }[phase as string] ?? 1;
  const place = { run_id: run.id, thread_id: "t1", agent_id: "agent", tenant: "default" };
  const rest = { policy: {}, parent_run_id: undefined, now: env.clock.now() };
  expect(seen[0]).toEqual({ phase, step, ...place, ...rest });
});

it("shows a hook the agent's spec, which it cannot change", async () => {
  const seen: unknown[] = [];
  const plugin = hookPlugin("p", "run_start", ({ agentSpec }) => {
    seen.push(agentSpec.allowed_skills, Object.isFrozen(agentSpec));
  });
  await playPlugins([plugin], { agent: { allowedSkills: ["pdf"] } });
  expect(seen).toEqual([["pdf"], true]);
});

it("tells the hooks around the model what it is asked and what it said", async () => {
  const seen: unknown[] = [];
  const before = hookPlugin("before", "before_inference", ({ tools, messages }) => {
    seen.push([tools.map(({ id }) => id), messages.map(textOf)]);
  });
  const after = hookPlugin("after", "after_inference", ({ text, calls, usage, stopReason }) => {
    seen.push({ text, calls, usage, stopReason });
  });
  const usage = { promptTokens: 3, completionTokens: 4 };
  const script = [[{ text: "Well." }, { call: "add", arguments: { title: "x" } }, { usage }], "ok"];
  const { run } = await playPlugins([before, after], { script });
  const call = { callId: expect.stringContaining(run.id), toolId: "add", arguments: { title: "x" }, suspension: 0 };
  expect(seen[0]).toEqual([["add"], ["go"]]);
  expect(seen[1]).toMatchObject({
    text: "Well.",
    calls: [call],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
    stopReason: "tool_use",
  });
});

it("shows a call as its view, and nothing more of its record", async () => {
  const seen: object[] = [];
  const keys = (call: object) => void seen.push(Object.keys(call).toSorted());
  await playPlugins([
    hookPlugin("a", "after_inference", ({ calls }) => calls.forEach(keys)),
    hookPlugin("b", "before_tool_execute", ({ call }) => keys(call)),
    hookPlugin("c", "after_tool_execute", ({ call }) => keys(call)),
  ]);
  const view = ["arguments", "callId", "suspension", "toolId"];
  expect(seen).toEqual([view, view, view]);
});

it("tells the hooks around a call what is called and what came of it", async () => {
  const seen: unknown[] = [];
  const before = hookPlugin("before", "before_tool_execute", ({ call, tool, decision }) => {
    seen.push([call.toolId, call.arguments, tool.id, decision]);
  });
  const after = hookPlugin("after", "after_tool_execute", ({ call, tool, result, outcome }) => {
    seen.push([call.toolId, tool?.id, result.status, result.data, outcome]);
  });
  await playPlugins([before, after]);
  expect(seen).toEqual([
    ["add", { title: "x" }, "add", undefined],
    ["add", "add", "success", { count: 1 }, "succeeded"],
  ]);
});

it("tells the hooks of run_end how the run ends", async () => {
  const seen: unknown[] = [];
  await playPlugins([hookPlugin("p", "run_end", ({ termination }) => void seen.push(termination))]);
  expect(seen).toEqual([{ type: "natural_end" }]);
});

describe("a section", () => {
  const sections = { tone: { type: "object", properties: { level: { type: "integer" } } } };
  const read = (key: string, configured: { [key: string]: { level: number } }) => {
    const seen: unknown[] = [];
    const plugin = hookPlugin("p", "run_start", (context) => void seen.push(context.section(key)), { sections });
    return playPlugins([plugin], { agent: { sections: configured } }).then((played) => ({ ...played, seen }));
  };

  it("is what the agent says, frozen", async () => {
    const { seen } = await read("tone", { tone: { level: 3 } });
    expect(seen).toEqual([{ level: 3 }]);
    expect(Object.isFrozen(seen[0])).toBe(true);
  });

  it("is undefined when the agent says nothing", async () => {
    expect((await read("tone", {})).seen).toEqual([undefined]);
  });

  it("of another plugin is refused", async () => {
    const { failure } = await read("other", { other: { level: 3 } });
    expect(failure).toMatchObject({ code: "INVALID_ACTION", message: expect.stringContaining("Plugin p") });
  });
});

it("ends the run's signal when the run is cancelled", async () => {
  const seen: boolean[] = [];
  const plugin = hookPlugin("p", "before_inference", ({ signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        seen.push(true);
        resolve(undefined);
      });
    });
  });
  const { runtime } = await openPlugins([plugin]);
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await settle();
  await run.cancel();
  expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  expect(seen).toEqual([true]);
});

describe("a tool that a plugin brings", () => {
  const sections = { tone: { type: "object", properties: { level: { type: "integer" } } } };
  const play = async (look: (context: ToolContext) => unknown) => {
    const seen: unknown[] = [];
    const tool = defineTool({
      id: "look",
      description: "Looks.",
      execute: (_, context) => {
        seen.push(look(context));
        return "seen";
      },
    });
    const plugin = definePlugin({ id: "p", sections, tools: [tool] });
    const agent = { sections: { tone: { level: 3 } } };
    return { ...(await playPlugins([plugin], { agent, script: [[{ call: "look" }], "ok"] })), seen };
  };

  it("reads the section of its plugin, and the tools that the run may use", async () => {
    const { seen } = await play(({ section, tools }) => [section("tone"), tools.map(({ id }) => id)]);
    expect(seen).toEqual([[{ level: 3 }, ["add", "look"]]]);
  });

  it("is refused a section that its plugin did not declare", async () => {
    const { messages } = await play(({ section }) => section("other"));
    expect(messages[2]?.content).toContain("Plugin p reads the section other, which it did not declare.");
  });
});

it("tells hooks the window of the agent, what parts of a request count, and what became of the last one", async () => {
  const seen: unknown[] = [];
  const plugin = definePlugin({
    id: "p",
    hooks: {
      async beforeInference({ window, system, tools, messages, countTokens }) {
        const [all, parts] = await Promise.all([
          countTokens({ system, tools, messages }),
          Promise.all([countTokens({ system, tools }), countTokens({ messages })]),
        ]);
        seen.push(window, all === parts[0] + parts[1], all);
      },
      afterInference: ({ resolved }) => void seen.push(resolved?.estimated_tokens),
    },
  });
  const contextPolicy = { maxContextTokens: 1_000, maxOutputTokens: 200, autocompactThreshold: 500 };
  await playPlugins([plugin], { agent: { contextPolicy, instructions: "Be brief." } });
  const [window, isSum, before, after] = seen;
  expect(window).toEqual({
    tokens: 1_000,
    outputTokens: 200,
    minRecentMessages: 10,
    isCached: true,
    autocompactThreshold: 500,
    compactionMode: "keep_recent_raw_suffix",
    compactionRawSuffixMessages: 2,
  });
  expect([isSum, after]).toEqual([true, before]);
});

it("has no window for an agent without a policy whose model is unknown", async () => {
  const seen: unknown[] = [];
  await playPlugins([hookPlugin("p", "step_start", ({ window }) => void seen.push(window))]);
  expect(seen[0]).toBeUndefined();
});
