import {
  addSystemReminder,
  addUserMessage,
  blockCall,
  type MessageInput,
  setToolResult,
  suspendCall,
  suspendTool,
} from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { record } from "../replay-support/record.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

const calls = ["a", "b"].map((title) => ({ call: "add", arguments: { title } }));
const reminder = (plugin: string, text: string): string => `<reminder source="plugin:${plugin}">\n${text}\n</reminder>`;

it("puts what plugins say after all results of the round, call by call and plugin by plugin", async () => {
  const plugins = ["p", "q"].map((id) =>
    hookPlugin(id, "after_tool_execute", ({ call }) => {
      const { title } = call.arguments as { readonly title: string };
      return [addSystemReminder(`${id} ${title}`), addUserMessage(`${id} says ${title}`)];
    }),
  );
  const { messages, model, tenant } = await playPlugins(plugins, { script: [calls, "ok"] });
  expect(messages.map(({ role }) => role)).toEqual([
    ...["user", "assistant", "tool", "tool"],
    ...Array.from({ length: 8 }, () => "user"),
    "assistant",
  ]);
  const said = (id: string, title: string) => [reminder(id, `${id} ${title}`), `${id} says ${title}`];
  const expected = [...said("p", "a"), ...said("q", "a"), ...said("p", "b"), ...said("q", "b")];
  expect(messages.slice(4, 12).map(({ content }) => content)).toEqual(expected);
  expect(model.requests[1]?.messages.slice(4).map(({ content }) => content)).toEqual(expected);
  await assertConsistent(tenant, "t1");
});

it("says whose a message is, whatever the message says of itself", async () => {
  const forged = { run_id: "other", source: "plugin:other", kept: 1 };
  const plugin = hookPlugin("p", "after_tool_execute", () => [
    addUserMessage({ role: "system", content: "x", metadata: forged }),
    addSystemReminder("y"),
  ]);
  const { messages, run, runtime } = await playPlugins([plugin]);
  const [said, reminded] = messages.slice(3);
  expect(said).toMatchObject({ role: "user", metadata: { source: "plugin:p", run_id: run.id, kept: 1 } });
  expect(reminded).toMatchObject({ role: "user", visibility: "internal", metadata: { source: "plugin:p" } });
  const shown = (await runtime.threads.messages("t1")).messages.map(({ content }) => content);
  expect(shown).toContain("x");
  expect(shown).not.toContain(reminder("p", "y"));
});

it.each([
  ["calls of tools", { role: "assistant", content: "x", tool_calls: [{ id: "c", name: "add", arguments: {} }] }],
  ["a call it answers", { role: "tool", content: "x", tool_call_id: "c" }],
  ["no content", { role: "user" }],
  ["content of an unknown kind", { role: "user", content: [{ type: "poison" }] }],
])("keeps a message no model could be given out of the thread: %s", async (_, message) => {
  const plugin = hookPlugin("p", "after_tool_execute", () => [addUserMessage(message as unknown as MessageInput)]);
  const { messages, failure, tenant } = await playPlugins([plugin]);
  const said = messages.filter(({ metadata }) => metadata?.source === "plugin:p");
  const isClean = said.every((each) => each.tool_calls === undefined && each.tool_call_id === undefined);
  expect(isClean && said.every(({ content }) => content === "x")).toBe(true);
  if (said.length === 0) expect(failure?.code).toBe("INVALID_ACTION");
  await assertConsistent(tenant, "t1");
});

describe("the hooks after a call", () => {
  const outcomes = async (options: Parameters<typeof playPlugins>[1] = {}, gate: readonly unknown[] = []) => {
    const seen: string[] = [];
    const before = hookPlugin("before", "before_tool_execute", () => gate);
    const after = hookPlugin("after", "after_tool_execute", ({ result, outcome }) => {
      seen.push(`${outcome} ${result.status}`);
    });
    await playPlugins([before, after], options);
    return seen;
  };

  it("see a call that succeeded", async () => expect(await outcomes()).toEqual(["succeeded success"]));

  it("see a call that failed", async () => {
    const { tool } = countingTool({ execute: () => Promise.reject(new Error("no")) });
    expect(await outcomes({ tools: [tool] })).toEqual(["failed error"]);
  });

  it("see a call that a plugin answered", async () =>
    expect(await outcomes({}, [setToolResult("r")])).toEqual(["succeeded success"]));

  it.each<readonly [string, Parameters<typeof playPlugins>[1], readonly unknown[], readonly string[]]>([
    ["a call that a plugin refused", {}, [blockCall("no")], ["blocked error blocked add"]],
    [
      "a call that waits for an approval",
      { tools: [countingTool({ needsApproval: true }).tool] },
      [],
      ["suspended pending - add"],
    ],
    ["a call that a plugin suspended", {}, [suspendCall({ action: "approval" })], ["suspended pending - add"]],
    [
      "a call whose tool asks",
      { tools: [countingTool({ execute: () => suspendTool({ action: "ask" }) }).tool] },
      [],
      ["suspended pending - add"],
    ],
    [
      "a call of a tool that is not there",
      { script: [[{ call: "nope" }], "ok"] },
      [],
      ["missing error tool_not_found -"],
    ],
    [
      "a call with arguments that do not fit",
      {
        script: [
          [
            { call: "add", arguments: { title: 5 } },
            { call: "add", raw: "{" },
          ],
          "ok",
        ],
      },
      [],
      ["invalid error invalid_arguments add", "invalid error invalid_arguments add"],
    ],
  ])("issue 14.9: see %s, and can tell it from others", async (_, options, gate, expected) => {
    const seen: string[] = [];
    const before = hookPlugin("before", "before_tool_execute", () => gate);
    const after = hookPlugin("after", "after_tool_execute", ({ result, outcome, tool, call }) => {
      const code = (result.data as { readonly error?: { readonly code: string } } | null)?.error?.code ?? "-";
      seen.push(`${outcome} ${result.status} ${code} ${tool?.id ?? "-"}`);
      return [addSystemReminder(`${call.toolId} is ${outcome}`)];
    });
    const { tenant, messages } = await playPlugins([before, after], options);
    expect(seen).toEqual(expected);
    const said = messages.filter(({ metadata }) => metadata?.source === "plugin:after");
    // What is said about a call that waits follows its result.
    expect(said).toHaveLength(expected.some((line) => line.startsWith("suspended")) ? 0 : expected.length);
    await assertConsistent(tenant, "t1");
  });

  it("issue 14.9: see a call that the run may not use", async () => {
    const seen: unknown[] = [];
    const plugin = hookPlugin("after", "after_tool_execute", ({ outcome }) => void seen.push(outcome));
    const { tool } = countingTool();
    const { runtime } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
      agent: { plugins: [plugin] },
    });
    const policy = { excludedTools: ["add"] };
    await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go", policy }));
    expect(seen).toEqual(["refused"]);
  });

  it("issue 14.9: see a call when it waits and again when it is done, and a replay runs no hook", async () => {
    const seen: unknown[] = [];
    const plugin = hookPlugin("after", "after_tool_execute", ({ outcome, id }) => {
      seen.push([outcome, id()]);
      return [addUserMessage(`it ${outcome}`)];
    });
    const { tool } = countingTool({ needsApproval: true });
    const options = {
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
      agent: { plugins: [plugin] },
    };
    const { verify, outcome, run, tenant, runtime } = await record(options, async (bench, waiting) => {
      await soon(waiting.outcome());
      const [open] = await bench.runtime.decisions.list({ threadId: "t1" });
      await bench.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    });
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    const call = `${run.id}-s1-c0`;
    expect(seen).toEqual([
      ["suspended", `${call}-after-q1-after-i0`],
      ["succeeded", `${call}-after-after-i0`],
    ]);
    const { messages } = await runtime.threads.messages("t1");
    expect(messages.slice(2, -1).map(({ role, content }) => [role, content])).toEqual([
      ["tool", '{"count":1}'],
      ["user", "it suspended"],
      ["user", "it succeeded"],
    ]);
    await assertConsistent(tenant, "t1");
    expect(await verify()).toMatchObject({ equal: true });
  });
});
