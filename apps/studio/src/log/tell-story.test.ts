import type { AgentEvent } from "@reprise/contracts";
import { expect, it } from "vitest";
import { tellStory } from "./tell-story.ts";

let now = 0;
/** An event of the run, `after` milliseconds after the one before it. */
function at(after: number, type: AgentEvent["type"], data?: object): AgentEvent {
  now += after;
  // The shapes are those of the contracts; a story reads a few fields of each.
  return {
    type,
    run_id: "r",
    thread_id: "t",
    seq: now,
    timestamp_ms: now,
    ...(data && { data }),
  } as unknown as AgentEvent;
}
const result = (data: unknown = "ok") => ({
  tool_name: "refund",
  status: "success",
  data,
  message: null,
  metadata: {},
});
const tell = (...events: readonly AgentEvent[]) => tellStory(events).map(({ text }) => text);

it("tells a model's answer with its time, model, cost and calls", () => {
  expect(
    tell(
      at(0, "run_start"),
      at(1, "step_start", { message_id: "m" }),
      at(100, "tool_call_start", { id: "c1", name: "lookUp" }),
      at(1, "tool_call_start", { id: "c2", name: "lookUp" }),
      at(1, "tool_call_start", { id: "c3", name: "clock" }),
      at(1, "cost_recorded", { cost_microcents: 400_000 }),
      at(1, "inference_complete", { model: "gpt-5", duration_ms: 2000 }),
      at(1996, "step_end"),
    ),
  ).toEqual([
    "The run began.",
    "Model answered in 2.1 s (gpt-5, $0.0040) and asked for three calls: lookUp ×2 and clock.",
  ]);
});

it("tells how long a call waited and how it was decided", () => {
  expect(
    tell(
      at(0, "run_start"),
      at(0, "tool_call_start", { id: "c", name: "refund" }),
      at(0, "tool_call_done", { id: "c", outcome: "suspended", result: result(), message_id: "m" }),
      at(0, "run_finish", { termination: { type: "suspended" } }),
      at(360_000, "run_start"),
      at(0, "tool_call_resumed", {
        target_id: "c",
        result: { action: "resume", arguments: { eur: 8 }, decided_by: "ann" },
      }),
      at(0, "tool_call_done", { id: "c", outcome: "succeeded", result: result(), message_id: "m" }),
    ),
  ).toEqual(["The run began.", "refund waited 6 min and was approved with changed arguments by ann."]);
});

it("says that the run waits only while it does", () => {
  const events = [
    at(0, "tool_call_start", { id: "c", name: "refund" }),
    at(0, "tool_call_done", { id: "c", outcome: "suspended", result: result(), message_id: "m" }),
    at(0, "run_finish", { termination: { type: "suspended" } }),
  ];
  expect(tell(...events)).toEqual(["The run waits: refund needs a decision."]);
});

it("counts as a wait the time until the decision, over all questions, and not the work of the tool after it", () => {
  const suspended = { id: "c", outcome: "suspended", result: result(), message_id: "m" };
  const decided = { target_id: "c", result: { action: "resume" } };
  expect(
    tell(
      at(0, "tool_call_start", { id: "c", name: "refund" }),
      at(0, "tool_call_done", suspended),
      at(120_000, "tool_call_resumed", decided),
      at(600_000, "tool_call_done", suspended),
      at(60_000, "tool_call_resumed", decided),
      at(600_000, "tool_call_done", { ...suspended, outcome: "succeeded" }),
    ),
  ).toEqual(["refund waited 3 min and was approved."]);
});

it("tells of a process that died, and not of a run that waited for another agent", () => {
  expect(tell(at(0, "run_start"), at(1, "step_start", { message_id: "m" }), at(12_000, "run_start"))).toEqual([
    "The run began.",
    "The process died; another continued after 12.0 s.",
  ]);
  const child = { id: "c", child_run_id: "r2", child_thread_id: "t2", agent_id: "helper", depth: 1 };
  const started = [at(0, "run_start"), at(1, "child_run_start", child), at(900, "run_start"), at(1, "run_start")];
  expect(tell(...started)).toEqual(["The run began.", "helper is at work."]);
  const done = at(99, "tool_call_done", { id: "c", outcome: "succeeded", result: result(), message_id: "m" });
  expect(tell(...started, done)).toEqual(["The run began.", "helper worked for 1.0 s."]);
});

it.each([
  [{ type: "natural_end" }, "The run is done."],
  [{ type: "cancelled" }, "The run was cancelled."],
  [{ type: "stopped", value: { code: "max_rounds_reached" } }, "A stop policy ended the run: max rounds reached."],
  [{ type: "error", value: "The model refused." }, "The run failed: The model refused."],
])("tells the end %j", (termination, text) => expect(tell(at(0, "run_finish", { termination }))).toEqual([text]));
