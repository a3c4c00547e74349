import type { AgentEvent, EventData, EventType, Termination } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { createAiSdkEncoder } from "./create-encoder.ts";
import { encodeAiSdkEvent } from "./encode-event.ts";
import { INITIAL_STATE } from "./encoder-state.ts";
import type { UiChunk } from "./ui-chunk.ts";

function event<Type extends EventType>(type: Type, data: EventData[Type]): AgentEvent {
  // Type and data belong together by the signature; the compiler does not follow that through a union.
  return { type, run_id: "r", thread_id: "t", seq: 1, timestamp_ms: 0, data } as AgentEvent;
}

const BEGUN = [event("run_start", {}), event("step_start", { message_id: "m" })];

/** The chunks of some events at the beginning of a run, without the first three: `start`, the run's facts, `start-step`. */
function encode(...events: readonly AgentEvent[]): readonly UiChunk[] {
  let state = INITIAL_STATE;
  const chunks = [...BEGUN, ...events].flatMap((next) => {
    const [after, shown] = encodeAiSdkEvent(state, next);
    state = after;
    return shown;
  });
  return chunks.slice(3);
}

const finish = (termination: Termination): AgentEvent => event("run_finish", { termination });

describe("the end of a run", () => {
  it.each([
    ["max_rounds_reached", "length"],
    ["timeout_reached", "length"],
    ["token_budget_exceeded", "length"],
    ["output_truncated", "length"],
    ["tool_called", "tool-calls"],
    ["content_matched", "stop"],
    ["consecutive_errors_exceeded", "error"],
    ["loop_detected", "error"],
    ["superseded", "other"],
    ["constructor", "other"],
  ])("by the stop condition %s is told as %s", (code, finishReason) => {
    const chunks = encode(finish({ type: "stopped", value: { code } }));
    expect(chunks).toEqual([{ type: "finish-step" }, { type: "finish", finishReason }]);
  });

  it("by a plugin's wish is an ordinary one", () => {
    expect(encode(finish({ type: "behavior_requested" })).at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  });

  it("by cancellation is an abort, with nothing behind it", () => {
    expect(encode(finish({ type: "cancelled", detail: "enough" }), event("text_delta", { delta: "late" }))).toEqual([
      { type: "finish-step" },
      { type: "abort", reason: "cancelled" },
    ]);
  });

  it("by an error is told once and last, behind what its calls came to", () => {
    const result = { tool_name: "a", status: "error", data: null, message: null, metadata: {} } as const;
    const chunks = encode(
      event("tool_call_ready", { id: "c", name: "a", arguments: {} }),
      event("error", { message: "It broke." }),
      event("tool_call_done", { id: "c", result, message_id: "c-r", outcome: "cancelled" }),
      finish({ type: "error", value: "It broke." }),
    );
    expect(chunks.slice(1)).toEqual([
      { type: "tool-output-error", toolCallId: "c", errorText: "tool output error" },
      { type: "finish-step" },
      { type: "error", errorText: "It broke." },
      { type: "finish", finishReason: "error" },
    ]);
  });

  it("before its first step has a start without an id", () => {
    const encoder = createAiSdkEncoder();
    const frames = [event("run_start", {}), finish({ type: "error", value: "No agent." })].map((next) =>
      encoder.encode(next),
    );
    expect(frames[0]).toBe("");
    expect(frames[1]).toMatch(/^data: \{"type":"start"\}\n\n[\s\S]*"errorText":"No agent\."/);
  });

  it("leaves no call without an end, also one the runtime had no result for", () => {
    const chunks = encode(
      event("tool_call_ready", { id: "c", name: "a", arguments: {} }),
      finish({ type: "error", value: "It broke." }),
    );
    expect(chunks.map(({ type }) => type)).toEqual([
      "tool-input-available",
      "tool-input-error",
      "finish-step",
      "error",
      "finish",
    ]);
  });
});

describe("a step that begins in the middle of another", () => {
  it("ends what was open", () => {
    const chunks = encode(
      event("tool_call_start", { id: "c", name: "a" }),
      event("text_delta", { delta: "word" }),
      event("step_start", { message_id: "m2" }),
    );
    expect(chunks.map(({ type }) => type)).toEqual([
      "tool-input-start",
      "text-start",
      "text-delta",
      "text-end",
      "tool-input-error",
      "finish-step",
      "start-step",
    ]);
  });
});

describe("an activity", () => {
  const activity = (activity_type: string, content: EventData["activity_snapshot"]["content"]) =>
    encode(event("activity_snapshot", { message_id: "a", activity_type, content }));

  it.each([
    ["source-url", { url: "https://a.example", title: "A" }, { sourceId: "a", url: "https://a.example", title: "A" }],
    [
      "source-document",
      { media_type: "text/plain", title: "A" },
      { sourceId: "a", mediaType: "text/plain", title: "A" },
    ],
    ["file", { url: "blob:1", media_type: "image/png" }, { url: "blob:1", mediaType: "image/png" }],
  ])("%s is also the part clients have for it", (type, content, part) => {
    const [snapshot, native] = activity(type, content);
    expect(snapshot).toMatchObject({ type: "data-activity-snapshot", id: "a", data: { activityType: type, content } });
    expect(native).toEqual({ type, ...part });
  });

  it.each([
    ["source-url", {}],
    ["source-document", { title: "A" }],
    ["file", { url: 7 }],
    ["reasoning", 7],
    ["tool-call-progress", { url: "https://a.example" }],
  ])("%s without what its part needs is an activity alone", (type, content) => {
    expect(activity(type, content).map((chunk) => chunk.type)).toEqual(["data-activity-snapshot"]);
  });

  it("names files where the page finds them", () => {
    const snapshot = event("activity_snapshot", {
      message_id: "a",
      activity_type: "file",
      content: { url: "blob:1", media_type: "image/png" },
    });
    const encoder = createAiSdkEncoder({ fileUrl: (url) => `/v1/blobs/${url.slice(5)}` });
    for (const begun of BEGUN) encoder.encode(begun);
    expect(encoder.encode(snapshot)).toContain('"type":"file","url":"/v1/blobs/1"');
  });
});

it("keeps what describes a moment out of the message", () => {
  const chunks = encode(
    event("state_delta", { delta: [{ op: "add", path: "/a", value: 1 }] }),
    event("reasoning_encrypted_value", { encrypted_value: "x" }),
  );
  expect(chunks.map((chunk) => "transient" in chunk && chunk.transient)).toEqual([true, true]);
});

it("has nothing to say about an event it does not know", () => {
  // As it would come from a newer version.
  const unknown = { ...event("run_start", {}), type: "dream_start" } as unknown as AgentEvent;
  expect(encode(unknown)).toEqual([]);
});

describe("a response", () => {
  it("has the id of an event on its last chunk alone", () => {
    const encoder = createAiSdkEncoder();
    const frames = BEGUN.map((next, index) => encoder.encode(next, `r:1:${index + 1}`));
    expect(frames.join("").match(/id: .*/g)).toEqual(["id: r:1:2"]);
    expect(frames[1]).toMatch(/id: r:1:2\ndata: \{"type":"start-step"\}\n\n$/);
  });

  it("has no trailer when it breaks off", () => {
    const encoder = createAiSdkEncoder();
    for (const begun of BEGUN) encoder.encode(begun);
    expect(encoder.end()).toBe("");
  });

  it("tells of a failure also when the end of the run is missing", () => {
    const encoder = createAiSdkEncoder();
    for (const next of [...BEGUN, event("error", { message: "It broke." })]) encoder.encode(next);
    expect(encoder.end()).toMatch(/"errorText":"It broke\."[\s\S]*"finishReason":"error"[\s\S]*\[DONE\]\n\n$/);
  });
});
