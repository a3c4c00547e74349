import { addSystemReminder, addUserMessage, blockCall, type MessageInput, setToolResult } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { countingTool } from "../support/tools.ts";
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

  it("do not see a call that was refused", async () => expect(await outcomes({}, [blockCall("no")])).toEqual([]));

  it("do not see a call that waits", async () => {
    const { tool } = countingTool({ needsApproval: true });
    expect(await outcomes({ tools: [tool] })).toEqual([]);
  });
});
