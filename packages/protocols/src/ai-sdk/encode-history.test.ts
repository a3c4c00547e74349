import type { Message, ToolCallRecord } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { encodeAiSdkHistory } from "./encode-history.ts";

const of = (run_id: string) => ({ metadata: { run_id } });
const history = (messages: readonly Message[], calls: readonly ToolCallRecord[] = []) =>
  encodeAiSdkHistory({ thread_id: "t", messages, calls });

const waiting: ToolCallRecord = {
  call_id: "r1-s1-c0",
  run_id: "r1",
  thread_id: "t",
  step_id: "r1-s1",
  tool_id: "reprise/budget",
  tool_version: "1",
  arguments: { limit_tokens: 10 },
  status: "suspended",
  suspension: 1,
  binding_hash: "h",
  ticket: {
    suspension: { id: "r1-s1-c0-q1", action: "reprise/budget", message: "More?" },
    pending: { id: "r1-s1-c0", name: "reprise/budget", arguments: { limit_tokens: 10 } },
    resume_mode: "replay_tool_call",
  },
  updated_at: 0,
};

describe("a thread on a page", () => {
  it("has one message a run, with a step for each answer, and the user's words where they were", () => {
    const shown = history([
      { id: "u1", role: "user", content: "a", ...of("r1") },
      { id: "r1-s1-m", role: "assistant", content: "b", ...of("r1") },
      { id: "u2", role: "user", content: "steered", ...of("r1") },
      { id: "r1-s2-m", role: "assistant", content: "c", ...of("r1") },
      { id: "u3", role: "user", content: "d", ...of("r2") },
      { id: "r2-s1-m", role: "assistant", content: "e", ...of("r2") },
    ]);
    expect(shown.map(({ id }) => id)).toEqual(["u1", "r1-s1-m", "u2", "u3", "r2-s1-m"]);
    expect(shown[1]?.parts.map(({ type }) => type)).toEqual([
      "data-run-info",
      "step-start",
      "text",
      "step-start",
      "text",
    ]);
  });

  it("shows nothing that is internal, and nothing of the operator", () => {
    const shown = history([
      { id: "s", role: "system", content: "secret" },
      { id: "i", role: "user", content: "reminder", visibility: "internal" },
    ]);
    expect(shown).toEqual([]);
  });

  it("shows answers that no run of this thread gave, each by itself", () => {
    const shown = history([
      { id: "a1", role: "assistant", content: "b" },
      { id: "a2", role: "assistant", content: "c" },
    ]);
    expect(shown.map(({ id, parts }) => [id, parts.length])).toEqual([
      ["a1", 2],
      ["a2", 2],
    ]);
  });

  it("names files where the page finds them", () => {
    const content = [{ type: "image", url: "blob:1", media_type: "image/png", filename: "a.png" }] as const;
    const shown = encodeAiSdkHistory(
      { thread_id: "t", messages: [{ id: "u", role: "user", content }], calls: [] },
      (url) => `/blobs/${url}`,
    );
    expect(shown[0]?.parts).toEqual([
      { type: "file", url: "/blobs/blob:1", mediaType: "image/png", filename: "a.png" },
    ]);
  });

  it("shows an open question of the runtime's own, also before the first word", () => {
    const [message] = history([], [waiting]);
    expect(message?.id).toBe("r1-s1-m");
    expect(message?.parts[1]).toMatchObject({
      type: "dynamic-tool",
      toolName: "reprise/budget",
      state: "approval-requested",
      approval: { id: "r1-s1-c0-q1", descriptor: { message: "More?", bindingHash: "h" } },
    });
  });

  it("shows no question that is settled, or that came to nothing", () => {
    expect(history([], [{ ...waiting, status: "succeeded" }])).toEqual([]);
  });
});

describe("a call on a page", () => {
  const asked: Message = {
    id: "m",
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c", name: "wire", arguments: { amount: 10 } }],
  };
  const result = (content: string, status: string): Message => ({
    id: "c-r",
    role: "tool",
    tool_call_id: "c",
    content,
    metadata: { status },
  });
  const show = (message?: Message, record?: Partial<ToolCallRecord>) =>
    history(
      message === undefined ? [asked] : [asked, message],
      record === undefined ? [] : [{ ...waiting, call_id: "c", ...record }],
    )[0]?.parts.at(-1);

  it("has the arguments it ran with", () => {
    expect(show(result("1", "success"), { status: "succeeded", arguments: { amount: 1 } })).toMatchObject({
      input: { amount: 1 },
      output: { status: "success", data: 1 },
    });
  });

  it("keeps text that is no JSON, and says when a result is a warning", () => {
    expect(show(result("plain words", "warning"))).toMatchObject({
      output: { status: "warning", data: "plain words" },
    });
  });

  it("that was denied is denied; one whose outcome was not known and that was denied has failed", () => {
    const denied = result('{"error":{"code":"denied","message":"The call was denied."}}', "error");
    expect(show(denied)).toMatchObject({ state: "output-denied", approval: { approved: false } });
    expect(show(denied, { status: "failed" })).toMatchObject({
      state: "output-error",
      errorText: "The call was denied.",
    });
  });

  it("is under way when it needs no decision", () => {
    expect(show()).toMatchObject({ type: "tool-wire", state: "input-available", input: { amount: 10 } });
    expect(show(undefined, { status: "running" })).toMatchObject({ state: "input-available" });
  });
});
