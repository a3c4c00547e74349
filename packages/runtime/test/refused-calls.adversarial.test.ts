import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertConsistent } from "./support/assert-consistent.ts";
import { crashAtPoint } from "./support/crashing-env.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { soon, until } from "./support/wait.ts";

type Definition = Parameters<typeof countingTool>[0];
type Call = { call: string; arguments?: unknown; raw?: string };

/** A round of a safe call and one that is refused; the process dies between them and another takes over. */
async function dieBeforeRefusal(call: Call, definition: Definition, policy = {}) {
  const world = createWorld();
  const safe = countingTool({ id: "safe", idempotent: true });
  const { tool, keys } = countingTool(definition);
  const tools = [safe.tool, tool];
  const script = [[{ call: "safe", arguments: { title: "s" } }, call]];
  const dying = crashAtPoint(world, 4);
  const first = await openRuntime({ world, ...dying, script, tools });
  const messages = [{ role: "user", content: "go" }] as const;
  const run = await first.runtime.submit({ agent_id: "agent", thread_id: "t1", messages, policy });
  await until(() => dying.diedAt() !== undefined, "its death");
  const second = await openRuntime({ world, script: ["after"], tools });
  await world.env.advance(13_000);
  const outcome = await soon((await second.runtime.run(run.id)).outcome());
  await assertConsistent(second.tenant, "t1");
  const results = second.model.requests[0]?.messages.filter(({ role }) => role === "tool") ?? [];
  return { outcome, keys, results: results.map(textOf) };
}

describe("a call that was refused, after its process died", () => {
  const title = { title: "x" };
  it.each<[string, string, Call, Definition, object?]>([
    ["of an unknown tool", "tool_not_found", { call: "nope" }, {}],
    ["by the policy", "denied", { call: "add", arguments: title }, {}, { excluded_tools: ["add"] }],
    ["for its arguments", "invalid_arguments", { call: "add", arguments: { title: 5 } }, {}],
    ["for text that is no JSON", "invalid_arguments", { call: "add", raw: "{" }, { inputSchema: z.any() }],
    ["for a reserved key", "invalid_arguments", { call: "add", raw: '{"title":"x","__proto__":{}}' }, {}],
    [
      "because its approval rule broke",
      "execution_failed",
      { call: "add", arguments: title },
      {
        needsApproval: () => {
          throw new Error("the rule broke");
        },
      },
    ],
  ])("%s is still refused", async (_, code, call, definition, policy = {}) => {
    const { outcome, keys, results } = await dieBeforeRefusal(call, definition, policy);
    expect(keys).toEqual([]);
    expect(outcome).toMatchObject({ status: "done", text: "after" });
    expect(results).toHaveLength(2);
    expect(results.join()).toContain(code);
  });

  it("has its result where the model asked for it", async () => {
    const { results } = await dieBeforeRefusal({ call: "nope" }, {});
    expect(results.map((result) => result.includes("error"))).toEqual([false, true]);
  });
});
