import { type DecisionInput, type ResumeMode, suspendTool, translateDecision } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { openRuntime } from "../support/open-runtime.ts";
import { countingTool, notes } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { askingTool } from "./support/asking.ts";
import { byHistory, resultOf } from "./support/by-history.ts";
import { assertSettled } from "./support/settled.ts";

const DENIALS = [
  "false",
  "no",
  "denied",
  "deny",
  "reject",
  "rejected",
  "cancel",
  "canceled",
  "cancelled",
  "abort",
  "aborted",
] as const;
const FLAGS = ["denied", "reject", "rejected", "cancel", "canceled", "cancelled", "abort", "aborted"] as const;
const VERDICTS = ["status", "decision", "action"] as const;
const APPROVALS = ["true", "yes", "approved", "allow", "confirm", "ok", "accept"] as const;

/** However a word is written. */
const spellings = (word: string): readonly string[] => [
  word,
  word.toUpperCase(),
  `  ${word}\n`,
  `\t${word[0]?.toUpperCase()}${word.slice(1)} `,
];

const NO: readonly Json[] = [
  false,
  null,
  0,
  1,
  -1.5,
  [],
  [true],
  ["yes"],
  ...DENIALS.flatMap(spellings),
  { approved: false },
  { approved: false, status: "approved" },
  ...FLAGS.map((flag) => ({ [flag]: true })),
  ...FLAGS.map((flag) => ({ approved: true, [flag]: true })),
  ...VERDICTS.flatMap((field) => DENIALS.flatMap(spellings).map((word) => ({ [field]: word }))),
  { approved: true, status: "denied" },
];

const YES: readonly Json[] = [
  true,
  ...APPROVALS.flatMap(spellings),
  { approved: true },
  { allowed: true },
  { approved: true, reason: "fine" },
  { status: "approved" },
  { decision: "accept" },
  { action: "allow" },
  ...FLAGS.map((flag) => ({ approved: true, [flag]: false })),
];

/** Neither yes nor no: what a front end's own tool answers with. */
const ANSWERS: readonly Json[] = [
  "",
  "blue",
  "nope",
  "no way",
  "falsehood",
  "0",
  {},
  { color: "blue" },
  { value: null },
  { status: 200 },
];

const named = (values: readonly Json[]) => values.map((value) => [JSON.stringify(value), value] as const);

describe("what a front end sends as a decision", () => {
  it.each(named(NO))("%s means no", (_, payload) => {
    expect(translateDecision("c1", payload)).toMatchObject({
      target_id: "c1",
      action: "cancel",
    });
  });

  it.each(named([...YES, ...ANSWERS]))("%s means that the call continues", (_, payload) => {
    expect(translateDecision("c1", payload)).toMatchObject({
      target_id: "c1",
      action: "resume",
    });
  });

  it.each(
    named([
      { approved: "no" },
      { approved: "false" },
      { approved: null },
      { approved: 0 },
      { approved: "" },
      { allowed: false },
    ]),
  )("%s is no yes: what cannot be understood lets nothing through", (_, payload) => {
    expect(translateDecision("c1", payload).action).toBe("cancel");
  });

  it.each<readonly [Json, string | undefined]>([
    ["Too dear", "Too dear"],
    ["no", "no"],
    [{ approved: false, reason: "r", message: "m", error: "e" }, "r"],
    [{ approved: false, message: "m", error: "e" }, "m"],
    [{ approved: false, error: "e" }, "e"],
    [{ approved: true, reason: "fine" }, "fine"],
    [{ approved: false, reason: 7, message: "m" }, "m"],
    [{ approved: false, reason: { deep: "x" } }, undefined],
    [false, undefined],
    [null, undefined],
    [["reason"], undefined],
    [3, undefined],
  ])("%j has the reason %j", (payload, reason) => {
    const decision = translateDecision("c1", payload);
    expect(decision.reason).toBe(reason);
    expect("reason" in decision).toBe(reason !== undefined);
  });

  it("does not take a word from the prototype, and leaves the payload as it is", () => {
    const payload = JSON.parse('{"__proto__":{"approved":false},"color":"blue"}') as Json;
    const before = JSON.stringify(payload);
    expect(translateDecision("c1", payload).action).toBe("resume");
    expect(JSON.stringify(payload)).toBe(before);
  });
});

const ASKED = { call: "add", arguments: { title: "asked" } } as const;

async function answer(mode: ResumeMode, payload: Json, change: Partial<DecisionInput> = {}) {
  const asking = askingTool(mode === "replay_tool_call" ? "approval" : "plugin", mode);
  const bench = await openRuntime({
    script: byHistory([[ASKED], "after"]),
    tools: [asking.tool],
    agent: asking.agent,
  });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  const callId = `${run.id}-s1-c0`;
  const initial_decisions = [{ ...translateDecision(callId, payload), ...change }];
  await bench.runtime.submit({ agent_id: "agent", thread_id: "t1", messages: [], initial_decisions });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
  await assertSettled(bench.tenant, "t1");
  const row = await bench.tenant.loadCall(run.id, callId);
  return { text: resultOf(bench.model.requests[1], callId), done: asking.done, status: row?.status };
}

describe("a translated decision, sent with a request", () => {
  it.each(named([true, "yes", { approved: true }, { allowed: true }, { status: "approved" }, "OK"]))(
    "%s lets a call run that waits for a yes, and is not its result",
    async (_, payload) => {
      const { text, done, status } = await answer("replay_tool_call", payload);
      expect(done).toHaveLength(1);
      expect(text).toBe('{"noted":"asked","told":null}');
      expect(status).toBe("succeeded");
    },
  );

  it.each(named([false, "No", { approved: false, reason: "Too dear" }, { status: "rejected" }, null, 3, []]))(
    "%s denies a call, however it waits",
    async (_, payload) => {
      for (const mode of ["replay_tool_call", "use_decision_as_tool_result", "pass_decision_to_tool"] as const) {
        const { text, done, status } = await answer(mode, payload);
        expect(done).toEqual([]);
        expect(status).toBe("cancelled");
        expect(text).toContain("denied");
        if (typeof payload === "object" && payload !== null && "reason" in payload) expect(text).toContain("Too dear");
      }
    },
  );

  it.each(named([true, "blue", { color: "blue" }, { approved: true, note: "n" }]))(
    "%s is the result of a call that waits for an answer",
    async (_, payload) => {
      const { text, done } = await answer("use_decision_as_tool_result", payload);
      expect(done).toEqual([]);
      expect(text).toBe(typeof payload === "string" ? payload : JSON.stringify(payload));
    },
  );

  it.each(named([true, "blue", { color: "blue" }]))("%s reaches a tool that reads it", async (_, payload) => {
    const { text, done } = await answer("pass_decision_to_tool", payload);
    expect(done).toHaveLength(1);
    expect(text).toBe(JSON.stringify({ noted: "asked", told: payload }));
  });

  it("answers each question of a call that asks again", async () => {
    const { tool } = countingTool({
      execute: (_, { decision, state }) => {
        if (decision !== undefined) state.apply(notes.add(String(decision.result)));
        const told = state.get(notes);
        return told.length < 2 ? suspendTool({ action: "more" }) : told.join(" ");
      },
    });
    const { runtime, model } = await openRuntime({ script: byHistory([[ASKED], "after"]), tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    for (const payload of ["red", "blue"]) {
      await soon(run.outcome());
      const initial_decisions = [translateDecision(`${run.id}-s1-c0`, payload)];
      await runtime.submit({ agent_id: "agent", thread_id: "t1", messages: [], initial_decisions });
    }
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(resultOf(model.requests[1], `${run.id}-s1-c0`)).toBe("red blue");
  });

  it("sent twice decides once", async () => {
    const asking = askingTool("approval", "replay_tool_call");
    const { runtime } = await openRuntime({ script: byHistory([[ASKED, ASKED], "after"]), tools: [asking.tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    const send = () =>
      runtime.submit({
        agent_id: "agent",
        thread_id: "t1",
        messages: [],
        initial_decisions: [translateDecision(`${run.id}-s1-c0`, true)],
      });
    const answers = await Promise.allSettled([send(), send()]);
    expect(answers.some(({ status }) => status === "fulfilled")).toBe(true);
    await settle();
    expect(asking.done).toHaveLength(1);
  });
});
