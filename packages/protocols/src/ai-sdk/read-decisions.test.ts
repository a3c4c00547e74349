import type { ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { selectOpenDecisions } from "../chat/select-open-decisions.ts";
import { readDecisions } from "./read-decisions.ts";

const assistant = (...parts: Json[]): Json => ({ id: "a1", role: "assistant", parts });
const read = (...parts: Json[]) => readDecisions([assistant(...parts)]).decisions;
const call = (state: string, rest: { readonly [key: string]: Json }): Json => ({
  type: "tool-wire",
  toolCallId: "c",
  state,
  ...rest,
});

describe("a decision that is spelled out", () => {
  it("is read as it is on the reference pages, and its sender gets a word and no stream", () => {
    const response = { type: "tool-approval-response", approvalId: "fc_perm_1", approved: true };
    expect(readDecisions([{ role: "assistant", parts: [response] }])).toEqual({
      decisions: [{ target_id: "fc_perm_1", action: "resume", payload: { approved: true } }],
      isContinuing: false,
    });
  });

  it("is a no unless it is a clear yes, and may have a reason and be remembered", () => {
    const response = { type: "tool-approval-response", approvalId: "q", reason: "no", remember: true };
    expect(read({ ...response, approved: "true" })).toEqual([
      { target_id: "q", action: "cancel", payload: { approved: false, reason: "no", remember: true }, reason: "no" },
    ]);
  });
});

describe("the part of a call", () => {
  it("that was answered names its question, and what exactly was asked", () => {
    const approval = { id: "c-q1", approved: true, descriptor: { bindingHash: "h", suspension: 1 } };
    expect(readDecisions([assistant(call("approval-responded", { approval }))])).toEqual({
      decisions: [
        { target_id: "c-q1", action: "resume", payload: { approved: true }, binding_hash: "h", suspension: 1 },
      ],
      isContinuing: true,
    });
  });

  it("without a question is named by its call", () => {
    expect(read(call("approval-responded", {}))).toMatchObject([{ target_id: "c", action: "cancel" }]);
  });

  it.each<[string, { readonly [key: string]: Json }, object]>([
    ["output-available", { output: [1, 2] }, { action: "resume", result: [1, 2] }],
    ["output-available", { output: false }, { action: "resume", result: false }],
    ["output-available", {}, { action: "resume", result: null }],
    ["output-denied", {}, { action: "cancel" }],
    ["output-error", { errorText: "no camera" }, { action: "cancel", reason: "no camera" }],
  ])("that is %s in the browser is an answer", (state, rest, decision) => {
    expect(read(call(state, rest))).toMatchObject([{ target_id: "c", ...decision }]);
  });

  it.each(["input-streaming", "input-available", "approval-requested", "other"])("that is %s says nothing", (state) => {
    expect(read(call(state, {}))).toEqual([]);
  });

  it("of a tool of no name of its own counts as well", () => {
    const part = { type: "dynamic-tool", toolName: "x", toolCallId: "c", state: "output-available", output: 1 };
    expect(read(part)).toMatchObject([{ target_id: "c", result: 1 }]);
  });

  it("from before the user's last words is old news", () => {
    const done = assistant(call("output-available", { output: 1 }));
    expect(readDecisions([done, { role: "user", content: "next" }]).decisions).toEqual([]);
  });
});

it("takes the latest of several about the same call", () => {
  const say = (approved: boolean): Json => ({ type: "tool-approval-response", approvalId: "q", approved });
  expect(readDecisions([assistant(say(true), say(true)), assistant(say(false))]).decisions).toMatchObject([
    { target_id: "q", action: "cancel" },
  ]);
});

it("passes on what is about calls that wait, once for each, by whatever id", () => {
  const waiting = {
    call_id: "c1",
    status: "suspended",
    ticket: { suspension: { id: "c1-q2" }, pending: { id: "front" } },
  } as ToolCallRecord;
  const done = { call_id: "c2", status: "succeeded" } as ToolCallRecord;
  const about = (target_id: string) => ({ target_id, action: "resume" }) as const;
  const decisions = ["c2", "front", "c1-q1", "c1", "c1-q2"].map(about);
  expect(selectOpenDecisions(decisions, [waiting, done])).toEqual([about("c1-q2")]);
});
