import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { createWorld, openRuntime } from "./support/open-runtime.ts";

/** As plain JavaScript would be. */
const untyped = (options: object): never => options as never;
const model = scriptedModel(["ok"]);
const execute = (): null => null;

describe("issue 14.21: an option that does not exist", () => {
  it.each<readonly [string, () => unknown, string]>([
    [
      "defineTool",
      () => defineTool(untyped({ id: "pay", description: "Pays.", execute, needsAproval: true })),
      '"needsAproval" is not an option of tool pay. Did you mean "needsApproval"?',
    ],
    [
      "defineTool, in snake case",
      () => defineTool(untyped({ id: "pay", description: "Pays.", execute, needs_approval: true })),
      '"needs_approval" is not an option of tool pay. Did you mean "needsApproval"?',
    ],
    [
      "defineAgent",
      () => defineAgent(untyped({ id: "a", model, excludedTool: ["pay"] })),
      '"excludedTool" is not an option of agent a. Did you mean "excludedTools"?',
    ],
    [
      "definePlugin",
      () => definePlugin(untyped({ id: "p", hoooks: {} })),
      '"hoooks" is not an option of plugin p. Did you mean "hooks"?',
    ],
    [
      "a plugin's hooks",
      () => definePlugin(untyped({ id: "p", hooks: { beforeToolExecution: () => [] } })),
      '"beforeToolExecution" is not an option of the hooks of plugin p. Did you mean "beforeToolExecute"?',
    ],
    [
      "definePlugin's options in snake case",
      () => definePlugin(untyped({ id: "p", on_activate: () => undefined })),
      '"on_activate" is not an option of plugin p. Did you mean "onActivate"?',
    ],
  ])("of %s is refused with the nearest name", (_, define, message) => {
    expect(define).toThrow(expect.objectContaining({ code: "INVALID_DEFINITION", message }));
  });

  it.each([
    [
      { retryPolicy: { maxAttempts: 2 } },
      "`retryPolicy`.maxAttempts is not known (the nearest is `maxAttemptsPerModel`)",
    ],
    [
      { contextPolicy: { maxContextToken: 2 } },
      "`contextPolicy`.maxContextToken is not known (the nearest is `maxContextTokens`)",
    ],
    [{ budget: { limit: 2 } }, "`budget`.limit is not known (the nearest is `limitMicrocents`)"],
    [
      { budget: { onExceeded: "fail" } },
      "`budget`: a budget has at least one of `limitMicrocents`, `limitTokens`, `limitToolCalls` and `limitMs`",
    ],
    [
      { stopWhen: [{ type: "stop_on_tool", tool: "a" }] },
      "`stopWhen`[0].toolName is required; `stopWhen`[0].tool is not known (the nearest is `toolName`)",
    ],
    [{ fallbackModels: [{ model: "m", attempts: 2 }] }, "`fallbackModels`[0].attempts is not known"],
    [{ maxRounds: 0 }, "`maxRounds` must be a whole number of at least 1 (got 0)"],
    [{ retryPolicy: { patienceMs: -1 } }, "`retryPolicy`.patienceMs must be a number of at least 0 (got -1)"],
  ])("inside %j of defineAgent is refused in the author's words", (options, problem) => {
    const define = () => defineAgent(untyped({ id: "a", model, ...options }));
    expect(define).toThrow(
      expect.objectContaining({
        code: "INVALID_AGENT_SPEC",
        details: { problems: problem.split("; "), agent_id: "a" },
      }),
    );
  });

  it("of createRuntime, its limits, redefine and start is refused before anything happens", async () => {
    const world = createWorld();
    for (const [options, message] of [
      [{ agent: [] }, '"agent" is not an option of createRuntime. Did you mean "agents"?'],
      [
        { limits: { leaseMS: 1, leese: 1 } },
        '"leaseMS" is not an option of the limits of createRuntime. Did you mean "leaseMs"?',
      ],
    ] as const) {
      await expect(createRuntime(untyped({ ...world, ...options }))).rejects.toMatchObject({
        code: "INVALID_DEFINITION",
        message,
      });
    }
    const { runtime } = await openRuntime();
    expect(() => runtime.redefine(untyped({ agnts: [] }))).toThrow(/Did you mean "agents"/);
    const start = async () => runtime.start(untyped({ agent: "agent", input: "go", threadID: "t1" }));
    await expect(start()).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringMatching(/"threadId"/),
    });
  });

  it("lists the options there are when none is near", () => {
    const define = () => defineTool(untyped({ id: "pay", description: "Pays.", execute, zebra: 1 }));
    expect(define).toThrow(/"zebra" is not an option of tool pay\. There are id, description, name, /);
  });

  it("may be a field of an author's class, and undefined counts for nothing", () => {
    class Pay {
      readonly id = "pay";
      readonly description = "Pays.";
      readonly till = { cents: 0 };
      execute(): number {
        return this.till.cents;
      }
    }
    expect(defineTool(new Pay()).descriptor.id).toBe("pay");
    expect(defineTool(untyped({ id: "pay", description: "Pays.", execute, zebra: undefined })).descriptor.id).toBe(
      "pay",
    );
  });
});
