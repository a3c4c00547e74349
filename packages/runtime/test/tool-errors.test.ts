import { ToolError, type ToolErrorKind, toolFailure, toolResult } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, type ToolErrorReport } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { collect, soon, until } from "./support/wait.ts";

type Definition = NonNullable<Parameters<typeof countingTool>[0]>;

async function play(definition: Definition) {
  const world = createWorld();
  const reports: ToolErrorReport[] = [];
  const model = scriptedModel([[{ call: "add", arguments: { title: "x" } }], "ok"]);
  const runtime = await createRuntime({
    ...world,
    agents: [defineAgent({ id: "agent", model, tools: [countingTool(definition).tool] })],
    limits: { closeTimeoutMs: 1 },
    onToolError: (report) => {
      reports.push(report);
      throw new Error("the listener fails too");
    },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const over = run.outcome();
  for (let turn = 0; turn < 5; turn += 1) await world.env.advance(1_000);
  expect(await soon(over)).toMatchObject({ status: "done", text: "ok" });
  const done = (await collect(run)).find(({ type }) => type === "tool_call_done");
  return { run, reports, lines: world.env.lines, done: done?.type === "tool_call_done" ? done.data : undefined };
}

describe("issue 14.13: a tool's own error", () => {
  it.each<ToolErrorKind>(["denied", "invalid_arguments", "execution_failed", "timeout", "cancelled"])(
    "%s is the same result thrown, returned as an error and returned as a result",
    async (kind) => {
      const thrown = await play({
        execute: () => {
          throw new ToolError(kind, "Not on Sundays.");
        },
      });
      const returned = await play({ execute: () => new ToolError(kind, "Not on Sundays.") });
      const whole = await play({ execute: () => toolResult(toolFailure("add", kind, "Not on Sundays.")) });
      expect(thrown.done?.result).toEqual(whole.done?.result);
      expect(returned.done?.result).toEqual(whole.done?.result);
      expect(whole.done).toMatchObject({ outcome: "failed", result: { data: { error: { code: kind } } } });
      expect([thrown.reports, returned.reports]).toEqual([[], []]);
    },
  );

  it("of a kind that does not exist is a failure that says which there are", async () => {
    const { done } = await play({
      execute: () => {
        throw new ToolError("forbidden" as never, "No.");
      },
    });
    expect(done?.result.message).toMatch(/must be invalid_arguments, .* \(got "forbidden"\)/);
  });
});

describe("issue 14.18: a tool that throws", () => {
  it("is logged with run, call, tool and stack, and told to onToolError as it was thrown", async () => {
    const error = new Error("no connection with sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", {
      cause: new TypeError("refused"),
    });
    const { run, reports, lines } = await play({
      execute: () => {
        throw error;
      },
    });
    const of = { thread_id: "t1", run_id: run.id, call_id: `${run.id}-s1-c0`, tool_id: "add" };
    const ids = { threadId: "t1", runId: run.id, callId: of.call_id, toolId: "add", agentId: "agent" };
    expect(reports).toEqual([{ ...ids, tenant: "default", error }]);
    const line = lines.find(({ message }) => message === "a tool failed");
    expect(line).toMatchObject({ level: "error", details: of });
    expect(String(line?.details?.stack)).toMatch(/tool-errors\.test\.ts[\s\S]*Caused by: TypeError: refused/);
    expect(JSON.stringify(lines)).not.toContain("sk-proj-abc");
    await until(() => lines.some(({ message }) => message === "onToolError failed"), "the failure of the listener");
  });

  it("is reported also when its time is up, and when its schema or its approval rule throws", async () => {
    const fail = (): never => {
      throw new Error("broken rule");
    };
    for (const definition of [
      { execute: () => new Promise(() => undefined), timeoutMs: 100 },
      { validate: fail },
      { needsApproval: fail },
    ]) {
      const { reports, lines } = await play(definition);
      expect(reports).toHaveLength(1);
      expect(lines.filter(({ message }) => message === "a tool failed")).toHaveLength(1);
    }
  });
});
