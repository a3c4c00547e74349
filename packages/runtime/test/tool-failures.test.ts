import { RepriseError, textOf, toolEffect, toolResult } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { type OpenOptions, openRuntime } from "./support/open-runtime.ts";
import { countingTool, notes } from "./support/tools.ts";

type Execute = NonNullable<Parameters<typeof countingTool>[0]>["execute"];

/** Runs one call of a tool that does this, and says what became of it. */
async function play(execute: Execute, options: OpenOptions = {}) {
  const { tool } = countingTool({ execute: execute ?? (() => null) });
  const bench = await openRuntime({
    script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
    tools: [tool],
    ...options,
  });
  const outcome = await bench.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
  await assertConsistent(bench.tenant, "t1");
  const content = textOf(bench.model.requests[1]?.messages.at(-1) ?? { content: "null" });
  return { ...bench, outcome, content, state: await bench.runtime.threads.state("t1") };
}

describe("a tool that misbehaves", () => {
  it.each<[string, unknown]>([
    ["an error", new Error("boom")],
    ["text", "boom"],
    ["undefined", undefined],
    ["null", null],
    ["an object without a prototype", Object.create(null)],
    [
      "an object whose text throws",
      {
        toString: () => {
          throw new Error("no");
        },
      },
    ],
    ["a symbol", Symbol("boom")],
    ["an error that looks like ours", Object.assign(new Error("fake"), { name: "RepriseError", code: "INTERNAL" })],
    ["an error of the store's kind", new RepriseError("STALE_EPOCH", "not really")],
  ])("by throwing %s has failed, and the run continues", async (_, thrown) => {
    const { outcome, content } = await play(() => {
      throw thrown;
    });
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(JSON.parse(content)).toMatchObject({ error: { code: "execution_failed" } });
  });

  it("leaves nothing of its writes when it throws after them", async () => {
    const { state, outcome } = await play((_, context) => {
      context.state.apply(notes.add("lost"));
      context.queueMessage({ role: "user", content: "lost" });
      throw new Error("boom");
    });
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(state).not.toHaveProperty("notes");
  });

  it("leaves nothing of its writes when an effect of it cannot be applied", async () => {
    const broken = { state: "notes", action: "nope", args: [] };
    const { state, outcome, content } = await play((_, context) => {
      context.state.apply(notes.add("lost"));
      return toolEffect("fine", [{ type: "state", action: broken }]);
    });
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(JSON.parse(content)).toMatchObject({ error: { code: expect.any(String) } });
    expect(state).not.toHaveProperty("notes");
  });

  it.each<[string, () => unknown]>([
    ["a function", () => () => 1],
    ["a map", () => new Map()],
    ["NaN", () => Number.NaN],
    ["a bigint", () => 5n],
    [
      "a cycle",
      () => {
        const list: unknown[] = [];
        list.push(list);
        return list;
      },
    ],
    ["undefined in a list", () => [undefined]],
    [
      "a getter that throws",
      () => ({
        get a() {
          throw new Error("trap");
        },
      }),
    ],
    [
      "a proxy that throws",
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error("trap");
            },
          },
        ),
    ],
    [
      "a result with data that is no JSON",
      () => toolResult({ tool_name: "add", status: "success", data: (() => 1) as never, message: null, metadata: {} }),
    ],
    [
      "a result with metadata that is no JSON",
      () =>
        toolResult({
          tool_name: "add",
          status: "success",
          data: 1,
          message: null,
          metadata: { f: (() => 1) as never },
        }),
    ],
    [
      "a result of an unknown status",
      () => toolResult({ tool_name: "add", status: "great" as never, data: 1, message: null, metadata: {} }),
    ],
    [
      "a pending result with half a ticket",
      () =>
        toolResult({
          tool_name: "add",
          status: "pending",
          data: null,
          message: null,
          metadata: {},
          suspension: { resume_mode: "replay_tool_call" } as never,
        }),
    ],
    [
      "a pending result without a ticket",
      () => toolResult({ tool_name: "add", status: "pending", data: null, message: null, metadata: {} }),
    ],
  ])("by returning %s has failed, and the run continues", async (_, returned) => {
    const { outcome, content, tenant } = await play(returned);
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(JSON.parse(content)).toMatchObject({
      error: { code: expect.stringMatching(/invalid_output|execution_failed/) },
    });
    expect((await tenant.listCalls({ thread_id: "t1" })).items).toMatchObject([{ status: "failed" }]);
  });
});
