import { changeState, emitEffect, type Phase } from "@reprise/contracts";
import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { countingTool } from "../support/tools.ts";
import { settle } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { changesOf, playPlugins } from "./support/play-plugins.ts";
import { tally } from "./support/tally.ts";

const failing = (phase: Phase) =>
  hookPlugin("failing", phase, () => {
    throw new Error("boom");
  });

it("commits what the hooks of run_end ask for, with what the run had committed before", async () => {
  const told: unknown[] = [];
  const early = hookPlugin("early", "run_start", () => [changeState(tally.add("early"))], { states: [tally] });
  const late = hookPlugin(
    "late",
    "run_end",
    ({ termination }) => [changeState(tally.add(termination.type)), emitEffect("tell", termination.type)],
    { effects: { tell: (payload) => void told.push(payload) } },
  );
  const { state, outcome } = await playPlugins([early, late, failing("after_tool_execute")]);
  await settle();
  expect(outcome.status).toBe("failed");
  expect(tally.read(state)).toEqual(["early", "error"]);
  expect(told).toEqual(["error"]);
});

it("forgets what was asked for since the last commit", async () => {
  const early = hookPlugin("early", "run_start", () => [changeState(tally.add("early"))], { states: [tally] });
  const { changesets, messages } = await playPlugins([early, failing("after_inference")]);
  expect(changesOf(changesets, "early")).toEqual({ patches: [], actions: [] });
  expect(messages.map(({ role }) => role)).toEqual(["user"]);
});

it("gives a call that ran a result, when the hook after it fails", async () => {
  const { tool, keys } = countingTool({ idempotent: false });
  const { messages, tenant, outcome } = await playPlugins([failing("after_tool_execute")], { tools: [tool] });
  expect(outcome.status).toBe("failed");
  expect(keys).toHaveLength(1);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  await assertConsistent(tenant, "t1");
});

it("says of a call that took effect that it did, although the hook after it failed", async () => {
  const { messages } = await playPlugins([failing("after_tool_execute")]);
  expect(messages[2]).toMatchObject({ role: "tool", content: '{"count":1}', metadata: { status: "success" } });
});

it("leaves a thread another run can continue with", async () => {
  let isBroken = true;
  const once = hookPlugin("once", "before_tool_execute", () => {
    if (isBroken) throw new Error("boom");
  });
  const { runtime, tenant } = await playPlugins([once], {
    script: (request) =>
      request.messages.at(-1)?.role === "user" ? [{ call: "add", arguments: { title: "x" } }] : "ok",
  });
  isBroken = false;
  const next = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "again" });
  expect(next).toMatchObject({ status: "done", text: "ok" });
  await assertConsistent(tenant, "t1");
});
