import { setImmediate as turn } from "node:timers/promises";
import type { LogLevel } from "@reprise/contracts";
import { eventually } from "@reprise/testkit";
import { createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { createNodeEnv } from "reprise/advanced";
import { describe, expect, it, onTestFinished } from "vitest";

/** Does nothing else for a while, as a slow pattern or a large loop does. */
function block(): void {
  for (const until = Date.now() + 1_200; Date.now() < until; );
}

async function runWith(execute: () => string | Promise<string>) {
  const lines: { level: LogLevel; message: string; details: unknown }[] = [];
  const runtime = await createRuntime({
    env: createNodeEnv({ log: (level, message, details) => lines.push({ level, message, details }) }),
    store: memory(),
    agents: [
      defineAgent({
        id: "agent",
        model: scriptedModel([[{ call: "look", arguments: {} }], "done"]),
        tools: [defineTool({ id: "look", description: "Looks.", class: "read_only", inputSchema: {}, execute })],
      }),
    ],
  });
  onTestFinished(() => runtime.close());
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  expect(await run.outcome()).toMatchObject({ status: "done" });
  return { run, blocked: () => lines.filter(({ message }) => message === "the event loop was blocked") };
}

describe("issue 14.37: what blocks the event loop is logged with its run", () => {
  it("a tool that computes for long", async () => {
    const { run, blocked } = await runWith(() => {
      block();
      return "seen";
    });
    await eventually(() => expect(blocked()).not.toEqual([]));
    expect(blocked()[0]).toMatchObject({
      level: "warn",
      details: { run_id: run.id, kind: "execute", of: expect.stringContaining(run.id), blocked_ms: expect.any(Number) },
    });
  });

  it("a tool that computes for long after it has waited", async () => {
    const { run, blocked } = await runWith(async () => {
      await turn();
      block();
      await turn();
      return "seen";
    });
    await eventually(() => expect(blocked()).not.toEqual([]));
    expect(JSON.stringify(blocked()[0])).toContain(run.id);
  });
});
