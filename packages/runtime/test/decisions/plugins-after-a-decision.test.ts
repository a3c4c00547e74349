import {
  type BeforeToolExecuteContext,
  blockCall,
  type HookActions,
  setToolResult,
  suspendCall,
  toolFailure,
  toolPending,
  toolResult,
} from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { soon } from "../support/wait.ts";
import { byHistory, resultOf } from "./support/by-history.ts";
import { assertSettled } from "./support/settled.ts";

type Hook = (context: BeforeToolExecuteContext) => HookActions<"before_tool_execute">;

const ASKED = { call: "add", arguments: { title: "asked" } } as const;

/** A call that a plugin judges, before and after somebody approved it. */
async function judge(hook: Hook, needsApproval = true) {
  const { tool, keys } = countingTool({ needsApproval });
  const plugin = definePlugin({ id: "judge", hooks: { beforeToolExecute: hook } });
  const bench = await openRuntime({
    script: byHistory([[ASKED], "after"]),
    tools: [tool],
    agent: { plugins: [plugin] },
  });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const callId = `${run.id}-s1-c0`;
  if ((await soon(run.outcome())).status === "waiting") {
    await bench.runtime.decisions.decide(callId, { action: "approve" });
  }
  const outcome = await soon(run.outcome());
  const row = await bench.tenant.loadCall(run.id, callId);
  return { ...bench, keys, outcome, row, told: resultOf(bench.model.requests[1], callId) };
}

describe("a plugin that is asked again about an approved call", () => {
  it("may block it: approval by a human does not overrule a policy", async () => {
    const { keys, row, told, tenant } = await judge(({ decision }) =>
      decision === undefined ? [] : [blockCall("The shop is closed.")],
    );
    expect(keys).toEqual([]);
    expect(row).toMatchObject({ status: "failed" });
    expect(JSON.parse(told ?? "")).toMatchObject({ error: { code: "blocked", message: "The shop is closed." } });
    await assertSettled(tenant, "t1");
  });

  it("may answer it instead of the tool", async () => {
    const { keys, row, told, tenant } = await judge(({ decision }) =>
      decision === undefined ? [] : [setToolResult({ cached: true })],
    );
    expect(keys).toEqual([]);
    expect(row).toMatchObject({ status: "succeeded" });
    expect(told).toBe('{"cached":true}');
    await assertSettled(tenant, "t1");
  });

  it("may ask more about it, and is answered in its turn", async () => {
    const first = await judge(({ decision }) => (decision === undefined ? [] : [suspendCall({ action: "really?" })]));
    expect(first.outcome).toMatchObject({ status: "waiting", open: [{ suspension: 2 }] });
    expect(first.keys).toEqual([]);
    const [open] = await first.runtime.decisions.list();
    await first.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    expect(await soon((await first.runtime.run(open?.run_id ?? "")).outcome())).toMatchObject({ status: "done" });
    expect(first.keys).toEqual([open?.id]);
    await assertSettled(first.tenant, "t1");
  });
});

describe("a plugin that answers a call", () => {
  it.each([
    ["as a failure", toolFailure("add", "blocked", "Not now.")],
    ["as a marked failure", toolResult(toolFailure("add", "blocked", "Not now."))],
  ])("%s fails it", async (_, result) => {
    const { keys, row, told, tenant } = await judge(() => [setToolResult(result)], false);
    expect(keys).toEqual([]);
    expect(row).toMatchObject({ status: "failed" });
    expect(JSON.parse(told ?? "")).toEqual({ error: { code: "blocked", message: "Not now." } });
    await assertSettled(tenant, "t1");
  });

  it("with a pending result suspends it until it is decided", async () => {
    const { keys, row, tenant } = await judge(({ decision, call }) => {
      if (decision !== undefined) return [];
      const pending = { id: call.callId, name: call.toolId, arguments: call.arguments };
      const suspension = { id: `${call.callId}-own`, action: "look" };
      return [setToolResult(toolResult(toolPending("add", { suspension, pending, resume_mode: "replay_tool_call" })))];
    }, false);
    expect(row).toMatchObject({ status: "succeeded", suspension: 1 });
    expect(keys).toHaveLength(1);
    await assertSettled(tenant, "t1");
  });

  it("is overruled by one that asks, and that by one that refuses, whatever their order", async () => {
    const actions = [setToolResult("answer"), suspendCall({ action: "ask" }), blockCall("No.")];
    const asked = await judge(() => actions.slice(0, 2), false);
    expect(asked.row).toMatchObject({ suspension: 1 });
    const blocked = await judge(() => actions.toReversed(), false);
    expect(blocked.row).toMatchObject({ status: "failed", suspension: 0 });
    expect([...asked.keys, ...blocked.keys]).toEqual([]);
  });
});
