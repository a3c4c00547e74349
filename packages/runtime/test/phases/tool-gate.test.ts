import { blockCall, type PhaseAction, setToolResult, suspendCall, toolFailure, toolResult } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { countingTool } from "../support/tools.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

type Gate = PhaseAction<"block" | "suspend" | "set_tool_result">;

const ask = (action: string): Gate => suspendCall({ action });

/** Plays one call past plugins that each say something about it. */
async function playGates(...answers: readonly (readonly Gate[])[]) {
  const plugins = answers.map((actions, index) => hookPlugin(`p${index}`, "before_tool_execute", () => actions));
  const played = await playPlugins(plugins);
  const result = played.messages.find(({ role }) => role === "tool");
  const asked = played.outcome.status === "waiting" ? played.outcome.open[0]?.ticket?.suspension.action : undefined;
  return { ...played, result, asked };
}

describe("a refusal beats a question, a question beats an answer", () => {
  it.each([
    ["block, suspend", [[blockCall("no")], [ask("q")]]],
    ["suspend, block", [[ask("q")], [blockCall("no")]]],
    ["result, block", [[setToolResult("r")], [blockCall("no")]]],
    ["all three of one plugin", [[setToolResult("r"), ask("q"), blockCall("no")]]],
  ])("refuses: %s", async (_, answers) => {
    const { keys, result, outcome, tenant } = await playGates(...answers);
    expect(keys).toEqual([]);
    expect(result?.content).toContain("no");
    expect(result?.metadata?.status).toBe("error");
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    await assertConsistent(tenant, "t1");
  });

  it.each([
    ["result, suspend", [[setToolResult("r")], [ask("q")]]],
    ["suspend, result", [[ask("q")], [setToolResult("r")]]],
  ])("asks: %s", async (_, answers) => {
    const { keys, asked, result, tenant } = await playGates(...answers);
    expect([keys, asked, result]).toEqual([[], "q", undefined]);
    await assertConsistent(tenant, "t1");
  });
});

describe("of the same kind the first plugin is heard", () => {
  it("block", async () => {
    const { result } = await playGates([blockCall("first")], [blockCall("second")]);
    expect(result?.content).toContain("first");
    expect(result?.content).not.toContain("second");
  });

  it("suspend", async () => expect((await playGates([ask("first")], [ask("second")])).asked).toBe("first"));

  it("set_tool_result", async () =>
    expect((await playGates([setToolResult("first")], [setToolResult("second")])).result?.content).toBe("first"));
});

it("tells the model that a call was blocked, and why", async () => {
  const { result, events } = await playGates([blockCall("Not on Sundays.")]);
  expect(JSON.parse(String(result?.content))).toEqual({ error: { code: "blocked", message: "Not on Sundays." } });
  const done = events.find(({ type }) => type === "tool_call_done");
  expect(done?.data).toMatchObject({ outcome: "failed", result: { status: "error" } });
});

it.each([
  ["text", "known", "known", "succeeded"],
  ["JSON", { count: 3 }, '{"count":3}', "succeeded"],
  ["nothing", null, "null", "succeeded"],
  ["a failure", toolResult(toolFailure("add", "execution_failed", "No.")), /execution_failed/, "failed"],
])("answers a call with %s", async (_, answer, content, outcome) => {
  const { keys, result, events } = await playGates([setToolResult(answer)]);
  expect(keys).toEqual([]);
  expect(result?.content).toMatch(content);
  expect(events.find(({ type }) => type === "tool_call_done")?.data).toMatchObject({ outcome });
});

it("keeps an answer that is not JSON from the model, which is told where", async () => {
  const { result } = await playGates([setToolResult({ found: [() => undefined] } as never)]);
  expect(result?.content).toContain("invalid_output");
  expect(result?.content).toMatch(/The answer of plugin \S+ is not JSON: output.found\[0\] is a function\./);
});

it("asks about each call of a round for itself", async () => {
  const calls = ["a", "b", "c"].map((title) => ({ call: "add", arguments: { title } }));
  const plugin = hookPlugin("p", "before_tool_execute", ({ call }) => {
    const { title } = call.arguments as { readonly title: string };
    if (title === "a") return [blockCall("no a")];
    return title === "b" ? [setToolResult("b it is")] : [];
  });
  const { messages, keys } = await playPlugins([plugin], { script: [calls, "ok"] });
  expect(keys).toHaveLength(1);
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
  expect(results[0]).toContain("no a");
  expect(results.slice(1)).toEqual(["b it is", '{"count":1}']);
});

it("is not asked about calls the gates before it refuse", async () => {
  const asked: string[] = [];
  const plugin = hookPlugin("p", "before_tool_execute", ({ call }) => void asked.push(call.toolId));
  await playPlugins([plugin], {
    script: [[{ call: "nowhere" }, { call: "add", arguments: { title: 5 } }, { call: "add", raw: "{" }], "ok"],
  });
  expect(asked).toEqual([]);
});

it("comes before the tool's own question", async () => {
  const { tool, keys } = countingTool({ needsApproval: true });
  const plugin = hookPlugin("p", "before_tool_execute", () => [blockCall("no")]);
  const { outcome } = await playPlugins([plugin], { tools: [tool] });
  expect(outcome).toMatchObject({ status: "done" });
  expect(keys).toEqual([]);
});

it("holds reads back that could start early", async () => {
  const { tool, keys } = countingTool({ class: "read_only" });
  const plugin = hookPlugin("p", "before_tool_execute", () => [blockCall("no")]);
  await playPlugins([plugin], { tools: [tool], agent: { startReadsEarly: true } });
  expect(keys).toEqual([]);
});
