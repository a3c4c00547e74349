import { isJson } from "@reprise/state";
import { describe, expect, it } from "vitest";
import {
  addSessionContext,
  addSystemContext,
  addSystemReminder,
  addUserMessage,
  blockCall,
  changeState,
  emitEffect,
  emitEvent,
  excludeTool,
  holdAnswer,
  includeOnlyTools,
  noteContext,
  operatorText,
  overrideInference,
  PHASE_ACTIONS,
  PHASES,
  type PhaseAction,
  replaceText,
  retryInference,
  scheduleAction,
  setToolResult,
  suspendCall,
  suspendStep,
  terminateRun,
  transformRequest,
} from "../index.ts";

const NOTE = { kind: "memory", ref: "note:1" } as const;
const set = { state: "s", type: "set", input: 1 } as never;

describe("what a plugin asks for is plain data", () => {
  it.each([
    [changeState(set), { type: "state", action: set }],
    [changeState(set, "c1"), { type: "state", action: set, call_id: "c1" }],
    [addSystemContext(operatorText`Be brief.`), { type: "add_system_context", text: "Be brief." }],
    [addSessionContext("x"), { type: "add_session_context", text: "x" }],
    [addSessionContext("x", "k"), { type: "add_session_context", text: "x", key: "k" }],
    [
      addSessionContext("x", { key: "k", refs: [NOTE] }),
      { type: "add_session_context", text: "x", key: "k", refs: [NOTE] },
    ],
    [addSystemContext(operatorText`x`, { refs: [NOTE] }), { type: "add_system_context", text: "x", refs: [NOTE] }],
    [noteContext({ refs: [NOTE] }), { type: "note_context", refs: [NOTE] }],
    [holdAnswer(), { type: "hold_answer" }],
    [replaceText("x"), { type: "replace_text", text: "x" }],
    [replaceText("x", { dropReasoning: true }), { type: "replace_text", text: "x", drop_reasoning: true }],
    [retryInference("x"), { type: "retry_inference", feedback: "x" }],
    [
      suspendStep({ action: "ask", expiresInMs: 5 }),
      { type: "suspend_step", request: { action: "ask", expires_in_ms: 5 } },
    ],
    [excludeTool("a", "b"), { type: "exclude_tool", tool_ids: ["a", "b"] }],
    [excludeTool("t"), { type: "exclude_tool", tool_id: "t" }],
    [includeOnlyTools("a", "b"), { type: "include_only_tools", tool_ids: ["a", "b"] }],
    [includeOnlyTools(), { type: "include_only_tools", tool_ids: [] }],
    [overrideInference({ model: "m" }), { type: "override_inference", override: { model: "m" } }],
    [terminateRun(), { type: "terminate" }],
    [terminateRun("why"), { type: "terminate", reason: "why" }],
    [blockCall("why"), { type: "block", reason: "why" }],
    [suspendCall({ action: "ask" }), { type: "suspend", request: { action: "ask" } }],
    [setToolResult({ a: 1 }), { type: "set_tool_result", result: { a: 1 } }],
    [setToolResult(null), { type: "set_tool_result", result: null }],
    [addSystemReminder("x"), { type: "add_system_reminder", text: "x" }],
    [addUserMessage("x"), { type: "add_user_message", message: { role: "user", content: "x" } }],
    [scheduleAction("k"), { type: "schedule", key: "k", payload: null }],
    [scheduleAction("k", [1]), { type: "schedule", key: "k", payload: [1] }],
    [
      emitEvent("activity_snapshot", { message_id: "m", activity_type: "t", content: 1 }),
      {
        type: "emit",
        event: { type: "activity_snapshot", data: { message_id: "m", activity_type: "t", content: 1 } },
      },
    ],
    [emitEffect("k"), { type: "effect", key: "k", payload: null }],
  ] as [PhaseAction, object][])("%j", (action, expected) => {
    expect(action).toEqual(expected);
    expect(isJson(action)).toBe(true);
  });

  it("but for the function that changes a request", () => {
    const transform = <Request>(request: Request): Request => request;
    expect(transformRequest(transform)).toEqual({ type: "add_request_transform", transform });
  });
});

it("has a list of actions for every phase, each named once", () => {
  expect(Object.keys(PHASE_ACTIONS).toSorted()).toEqual(PHASES.toSorted());
  for (const types of Object.values(PHASE_ACTIONS)) expect(new Set(types).size).toBe(types.length);
});

it("lets every phase change state, emit events, schedule and have effects", () => {
  for (const phase of PHASES) {
    expect(PHASE_ACTIONS[phase]).toEqual(expect.arrayContaining(["state", "emit", "schedule", "effect"]));
  }
});

describe("the operator's text", () => {
  it("is the template as it stands, with its escapes", () => {
    expect(operatorText`One.\nTwo.`).toBe("One.\nTwo.");
    expect(operatorText("given")).toBe("given");
  });

  it("takes no values, also from code without types", () => {
    // The compiler refuses what is tried here.
    const tag = operatorText as unknown as (strings: TemplateStringsArray, ...values: readonly string[]) => string;
    expect(() => tag`Be ${"anything from outside"}.`).toThrow();
  });
});
