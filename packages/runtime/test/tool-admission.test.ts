import { type Message, textOf } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";

/** The error the model was told, if it was told one. */
function errorOf(message: Message | undefined): unknown {
  const text = textOf(message ?? { content: "" });
  return text.startsWith("{") ? JSON.parse(text).error : undefined;
}

/** Plays one call and says what the model was told. */
async function call(
  step: { call: string; arguments?: unknown; raw?: string },
  ...tools: readonly ReturnType<typeof defineTool>[]
) {
  const { runtime, model, tenant } = await openRuntime({ script: [[step], "ok"], tools });
  const outcome = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
  expect(outcome).toMatchObject({ status: "done", text: "ok" });
  await assertConsistent(tenant, "t1");
  const result = model.requests[1]?.messages.at(-1);
  const [row] = (await tenant.listCalls({ thread_id: "t1" })).items;
  return { result, row, error: result === undefined ? undefined : errorOf(result) };
}

describe("a call the model should not have made", () => {
  it("of an unknown tool is told so, with the tools there are", async () => {
    const { error, row } = await call({ call: "nope" }, countingTool().tool);
    expect(error).toMatchObject({ code: "tool_not_found", message: expect.stringContaining("add") });
    expect(row?.status).toBe("failed");
  });

  it("of an unknown tool is told ten tools at most", async () => {
    const tools = Array.from({ length: 12 }, (_, at) => countingTool({ id: `tool_${at}` }).tool);
    const { error } = await call({ call: "nope" }, ...tools);
    expect(error).toMatchObject({ message: expect.stringMatching(/: tool_0, .* tool_9 and 2 more\.$/) });
  });

  it.each(["toString", "__proto__", "constructor"])("of a tool named %s is unknown", async (name) => {
    expect((await call({ call: name })).error).toMatchObject({ code: "tool_not_found" });
  });

  it("with arguments its Zod schema refuses does not run", async () => {
    const { tool, keys } = countingTool();
    const { error } = await call({ call: "add", arguments: { title: 5 } }, tool);
    expect(error).toMatchObject({ code: "invalid_arguments", message: expect.stringContaining("title") });
    expect(keys).toEqual([]);
  });

  it("with arguments its JSON Schema refuses does not run", async () => {
    let runs = 0;
    const tool = defineTool({
      id: "plain",
      description: "Plain.",
      inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      execute: () => {
        runs += 1;
        return null;
      },
    });
    expect((await call({ call: "plain", arguments: {} }, tool)).error).toMatchObject({ code: "invalid_arguments" });
    expect((await call({ call: "plain", arguments: { n: "1" } }, tool)).error).toMatchObject({
      code: "invalid_arguments",
    });
    expect((await call({ call: "plain", arguments: { n: 1 } }, tool)).error).toBeUndefined();
    expect(runs).toBe(1);
  });

  it("with arguments to a tool that takes none does not run", async () => {
    const tool = defineTool({ id: "none", description: "Takes nothing.", execute: () => "ran" });
    expect((await call({ call: "none", arguments: { a: 1 } }, tool)).error).toMatchObject({
      code: "invalid_arguments",
    });
  });

  it("with null for arguments is a call without any", async () => {
    const tool = defineTool({ id: "none", description: "Takes nothing.", execute: () => "ran" });
    for (const raw of ["null", "", "  "]) {
      const { result } = await call({ call: "none", raw }, tool);
      expect(result?.content, raw).toBe("ran");
    }
  });

  it("that a rule of the author refuses does not run, nor ask for approval", async () => {
    const { tool, keys } = countingTool({
      needsApproval: true,
      validate: ({ title }) => (title === "bad" ? "not this title" : undefined),
    });
    const { error } = await call({ call: "add", arguments: { title: "bad" } }, tool);
    expect(error).toMatchObject({ code: "invalid_arguments", message: expect.stringContaining("not this title") });
    expect(keys).toEqual([]);
  });

  it.each([
    ["half a JSON text", '{"title": "x'],
    ["text after the JSON", '{"title":"x"} and more'],
    ["a key that reaches the prototype", '{"title":"x","__proto__":{"admin":true}}'],
    ["such a key further down", '{"title":"x","more":[{"constructor":{"prototype":{}}}]}'],
    ["more levels than JSON may have", `{"title":${"[".repeat(200)}${"]".repeat(200)}}`],
    ["more levels than the stack has", "[".repeat(200_000)],
    ["a list", '["x"]'],
    ["a number", "5"],
  ])("with %s for arguments does not run", async (_, raw) => {
    const { tool, keys } = countingTool({ inputSchema: z.looseObject({ title: z.string() }) });
    const { error } = await call({ call: "add", raw }, tool);
    expect(error).toMatchObject({ code: "invalid_arguments" });
    expect(keys).toEqual([]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it("with a key twice runs with what the thread and the approval show", async () => {
    const seen: string[] = [];
    const { tool } = countingTool({ execute: ({ title }) => seen.push(title) });
    const { row } = await call({ call: "add", raw: '{"title":"first","title":"second"}' }, tool);
    expect(row?.arguments).toEqual({ title: seen[0] });
  });

  it("does not run when the approval rule or the schema throws", async () => {
    const ruled = countingTool({
      needsApproval: () => {
        throw new Error("rule broke");
      },
    });
    expect((await call({ call: "add", arguments: { title: "x" } }, ruled.tool)).error).toMatchObject({
      code: "execution_failed",
    });
    const schema = z.object({
      title: z.string().refine(() => {
        throw Object.create(null);
      }),
    });
    const checked = countingTool({ inputSchema: schema });
    expect((await call({ call: "add", arguments: { title: "x" } }, checked.tool)).error).toMatchObject({
      code: "execution_failed",
    });
    expect([...ruled.keys, ...checked.keys]).toEqual([]);
  });

  it("is not offered and not run when the run's policy excludes it", async () => {
    const { tool, keys } = countingTool();
    for (const policy of [
      { excluded_tools: ["add"] },
      { allowed_tools: [] },
      { allowed_tools: ["add"], excluded_tools: ["add"] },
    ]) {
      const { runtime, model } = await openRuntime({
        script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
        tools: [tool],
      });
      const run = await runtime.submit({ agent_id: "agent", messages: [{ role: "user", content: "go" }], policy });
      expect(await run.outcome()).toMatchObject({ status: "done" });
      expect(model.requests[0]?.tools).toEqual([]);
      expect(errorOf(model.requests[1]?.messages.at(-1))).toMatchObject({ code: "denied" });
    }
    expect(keys).toEqual([]);
  });
});
