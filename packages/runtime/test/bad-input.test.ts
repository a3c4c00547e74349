import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

const HELLO = { role: "user", content: "hi" } as const;

describe("a request that cannot be", () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  it.each<[string, object, string]>([
    ["an unknown agent", { agent_id: "nobody" }, "AGENT_NOT_FOUND"],
    ["no agent", { agent_id: undefined }, "AGENT_NOT_FOUND|INVALID_REQUEST"],
    ["an agent of the prototype", { agent_id: "constructor" }, "AGENT_NOT_FOUND"],
    ["an empty thread id", { thread_id: "" }, "INVALID_ID|INVALID_REQUEST"],
    ["a path for a thread id", { thread_id: "../etc" }, "INVALID_ID"],
    ["a NUL in the thread id", { thread_id: "a\u0000b" }, "INVALID_ID"],
    ["half a character in the thread id", { thread_id: "a\ud800" }, "INVALID_ID"],
    ["a reserved thread id", { thread_id: "__proto__" }, "INVALID_ID"],
    ["a long thread id", { thread_id: "x".repeat(300) }, "INVALID_ID"],
    ["a number for a thread id", { thread_id: 5 }, "INVALID_ID|INVALID_REQUEST"],
    ["null for a thread id", { thread_id: null }, "INVALID_ID|INVALID_REQUEST"],
    ["a path for a run id", { run_id: "a/b" }, "INVALID_ID"],
    ["a bad parent", { parent_run_id: "" }, "INVALID_ID|INVALID_REQUEST"],
    ["a path for a message id", { messages: [{ ...HELLO, id: "a/b" }] }, "INVALID_ID"],
    ["a number for a message id", { messages: [{ ...HELLO, id: 7 }] }, "INVALID_ID|INVALID_REQUEST"],
    ["messages that are no list", { messages: "hi" }, "INVALID_REQUEST"],
    ["null for a message", { messages: [null] }, "INVALID_REQUEST"],
    ["text for a message", { messages: ["hi"] }, "INVALID_REQUEST"],
    ["an unknown role", { messages: [{ role: "admin", content: "x" }] }, "INVALID_REQUEST"],
    ["no content", { messages: [{ role: "user" }] }, "INVALID_REQUEST"],
    ["a number for content", { messages: [{ role: "user", content: 5 }] }, "INVALID_REQUEST"],
    ["null for a part", { messages: [{ role: "user", content: [null] }] }, "INVALID_REQUEST"],
    ["null for a part of an answer", { messages: [{ role: "assistant", content: [null] }] }, "INVALID_REQUEST"],
    ["a part without its text", { messages: [{ role: "assistant", content: [{ type: "text" }] }] }, "INVALID_REQUEST"],
    ["calls that are no list", { messages: [{ role: "assistant", content: "", tool_calls: 5 }] }, "INVALID_REQUEST"],
    ["null for a call", { messages: [{ role: "assistant", content: "", tool_calls: [null] }] }, "INVALID_REQUEST"],
    ["the runtime's state", { state: { __run: { id: "x" } } }, "INVALID_REQUEST"],
    ["a call's state", { state: { __tool_call_scope: {} } }, "INVALID_REQUEST"],
    ["a plugin's state", { state: { permission_policy: {} } }, "INVALID_REQUEST"],
    ["another plugin's state", { state: { sub_agents: {} } }, "INVALID_REQUEST"],
    ["a prototype for state", { state: JSON.parse('{"__proto__":{"a":1}}') }, "INVALID_REQUEST"],
    ["a constructor for state", { state: { constructor: 1 } }, "INVALID_REQUEST"],
    ["a list for state", { state: [1] }, "INVALID_REQUEST"],
    ["text for state", { state: "abc" }, "INVALID_REQUEST"],
    ["a date in the state", { state: { at: new Date(0) } }, "INVALID_REQUEST"],
    ["a cycle in the state", { state: { cyclic } }, "INVALID_REQUEST"],
    ["NaN in the state", { state: { n: Number.NaN } }, "INVALID_REQUEST"],
    ["an unknown origin", { origin: "mars" }, "INVALID_REQUEST"],
    ["an unknown policy for a busy thread", { busy_policy: "panic" }, "INVALID_REQUEST"],
    ["text for a priority", { priority: "high" }, "INVALID_REQUEST"],
    ["text for a list of tools", { policy: { excluded_tools: "add" } }, "INVALID_REQUEST"],
    ["a number for a list of tools", { policy: { allowed_tools: 5 } }, "INVALID_REQUEST"],
    ["a number for a key", { dedupe_key: 5 }, "INVALID_REQUEST"],
    ["decisions that are no list", { messages: [], initial_decisions: "yes" }, "INVALID_REQUEST"],
    ["null for a decision", { messages: [], initial_decisions: [null] }, "INVALID_REQUEST"],
  ])("for %s is refused, and nothing is stored", async (_, change, code) => {
    const { runtime, model, tenant } = await openRuntime();
    const request = { agent_id: "agent", messages: [HELLO], ...change } as never;
    const refusal = await runtime.submit(request).then(
      () => "accepted",
      (error) => error,
    );
    expect(refusal).toMatchObject({ name: "RepriseError", code: expect.stringMatching(new RegExp(`^(${code})$`)) });
    expect(model.requests).toEqual([]);
    expect((await tenant.listThreads()).items).toEqual([]);
    expect((await tenant.listEntries()).items).toEqual([]);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  it("leaves a thread that is there as it was", async () => {
    const { runtime, tenant } = await openRuntime({ script: ["one", "two"] });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "hi" });
    const before = await runtime.threads.get("t1");
    await expect(runtime.start({ agent: "agent", threadId: "t1", input: [null] as never })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    await expect(runtime.start({ agent: "nobody", threadId: "t1", input: "x" })).rejects.toMatchObject({
      code: "AGENT_NOT_FOUND",
    });
    expect(await runtime.threads.get("t1")).toEqual(before);
    await assertConsistent(tenant, "t1");
    expect(await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "x" })).toMatchObject({
      text: "two",
    });
  });

  it("for a run id that is taken is the same run on its thread, and refused on another", async () => {
    const { runtime, tenant, model } = await openRuntime({ script: ["one", "two"] });
    const request = { agent_id: "agent", thread_id: "t1", run_id: "r1", messages: [HELLO] };
    await (await runtime.submit(request)).outcome();
    const again = await runtime.submit(request);
    expect(await soon(again.outcome())).toMatchObject({ status: "done", text: "one" });
    expect(model.requests).toHaveLength(1);
    await expect(runtime.submit({ ...request, thread_id: "t2" })).rejects.toMatchObject({ code: "RUN_EXISTS" });
    await assertConsistent(tenant, "t1");
  });

  it.each([200, 230, 240, 245, 250, 256])(
    "with a run id of %i characters is refused at once or runs to its end",
    async (length) => {
      const { runtime, tenant } = await openRuntime({ script: ["ok"] });
      const request = { agent_id: "agent", thread_id: "t1", run_id: "r".repeat(length), messages: [HELLO] };
      const run = await runtime.submit(request).catch((error) => error);
      if (run instanceof Error) {
        expect(run).toMatchObject({ code: "INVALID_ID" });
        expect((await tenant.listThreads()).items).toEqual([]);
        return;
      }
      expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    },
  );

  it("keeps hostile text as it is where it is only text", async () => {
    const { runtime, model, tenant } = await openRuntime({ script: ["ok"] });
    const content = "\u0000'; DROP TABLE threads; -- \u202e {{1+1}} %n </script>";
    const state = { "a.b": 1, "": 2, "k/~": { toString: "x", __proto__x: 1 } };
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: content, state });
    expect(model.requests[0]?.messages[0]?.content).toBe(content);
    expect(await runtime.threads.state("t1")).toMatchObject(state);
    await assertConsistent(tenant, "t1");
  });
});

describe("a definition that cannot be", () => {
  const model = scriptedModel([]);
  const tool = defineTool({ id: "a", description: "A.", execute: () => null });
  it.each<[string, () => unknown, string]>([
    ["an agent without an id", () => defineAgent({ id: "", model }), "INVALID_AGENT_SPEC"],
    ["an agent without rounds", () => defineAgent({ id: "a", model, maxRounds: 0 }), "INVALID_AGENT_SPEC"],
    ["an agent with half a round", () => defineAgent({ id: "a", model, maxRounds: 1.5 }), "INVALID_AGENT_SPEC"],
    ["two tools with one id", () => defineAgent({ id: "a", model, tools: [tool, tool] }), "TOOL_ID_CONFLICT"],
    ["a tool without an id", () => defineTool({ id: "", description: "", execute: () => null }), "INVALID_DEFINITION"],
    [
      "a tool with a space in its id",
      () => defineTool({ id: "a b", description: "", execute: () => null }),
      "INVALID_DEFINITION",
    ],
    [
      "a tool without time",
      () => defineTool({ id: "a", description: "", timeoutMs: 0, execute: () => null }),
      "INVALID_DEFINITION",
    ],
    [
      "a tool whose schema is none",
      () => defineTool({ id: "a", description: "", inputSchema: { type: "nonsense" }, execute: () => null }),
      "INVALID_DEFINITION",
    ],
  ])("such as %s is reported where it is made", (_, define, code) => {
    expect(define).toThrow(expect.objectContaining({ code }));
  });

  it("such as two agents or models with one id, or a model that is not there, is reported at the start", async () => {
    const { env, store, blobs } = createWorld();
    const open = (options: Partial<Parameters<typeof createRuntime>[0]>) =>
      createRuntime({ agents: [], env, store, blobs, ...options });
    const agent = defineAgent({ id: "a", model });
    await expect(open({ agents: [agent, agent] })).rejects.toMatchObject({
      code: "BUILD_FAILED",
      details: { problems: [{ code: "REGISTRY_CONFLICT", registry: "agents", id: "a" }] },
    });
    await expect(open({ models: [model, { ...model }] })).rejects.toMatchObject({
      code: "BUILD_FAILED",
      details: { problems: [{ code: "REGISTRY_CONFLICT", registry: "models" }] },
    });
    await expect(open({ agents: [defineAgent({ id: "a", model: "gone" })] })).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      details: { failures: [{ agent_id: "a", code: "MODEL_NOT_FOUND" }] },
    });
  });
});

describe("a runtime that is closed", () => {
  it("takes no more runs, and can be closed again", async () => {
    const { runtime, tenant } = await openRuntime();
    await soon(runtime.close());
    await soon(runtime.close());
    const closed = { code: "RUNTIME_CLOSED" };
    await expect(runtime.start({ agent: "agent", input: "x" })).rejects.toMatchObject(closed);
    await expect(runtime.runToCompletion({ agent: "agent", input: "x" })).rejects.toMatchObject(closed);
    await expect(runtime.submit({ agent_id: "agent", messages: [HELLO] })).rejects.toMatchObject(closed);
    expect((await tenant.listThreads()).items).toEqual([]);
  });

  it("does not know runs and threads that never were", async () => {
    const { runtime } = await openRuntime();
    await expect(runtime.run("nobody")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    await expect(runtime.threads.get("nobody")).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
    await expect(runtime.threads.state("nobody")).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
  });
});
