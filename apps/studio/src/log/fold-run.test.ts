import type { AgentEvent } from "@reprise/contracts";
import { expect, it } from "vitest";
import { RunFold } from "./fold-run.ts";

let seq = 0;
function event(type: AgentEvent["type"], data: object = {}, more: object = {}): AgentEvent {
  seq += 1;
  // The shapes are those of the contracts; a fold reads a few fields of each.
  return { type, run_id: "r", thread_id: "t", seq, timestamp_ms: seq, data, ...more } as unknown as AgentEvent;
}
function fold(...events: readonly AgentEvent[]): RunFold {
  const made = new RunFold("r");
  for (const each of events) made.add(each);
  return made;
}
const done = (id: string, outcome: string, more: object = {}) =>
  event("tool_call_done", {
    id,
    outcome,
    result: { tool_name: "pay", data: 1, message: null },
    message_id: "m",
    ...more,
  });
const question = {
  suspension: 1,
  binding_hash: "h",
  ticket: {
    suspension: { id: "q", action: "approval" },
    pending: { id: "c", name: "pay", arguments: {} },
    resume_mode: "replay_tool_call",
  },
};

it("joins text, keeps reasoning and calls apart, and keeps the list while nothing changes", () => {
  const run = fold(
    event("step_start", { message_id: "m" }),
    event("reasoning_delta", { delta: "hm" }),
    event("text_delta", { delta: "Hel" }),
    event("text_delta", { delta: "lo" }),
    event("tool_call_start", { id: "c", name: "pay" }),
    event("tool_call_ready", { id: "c", name: "pay", arguments: { eur: 5 } }),
  );
  expect(run.blocks.map((block) => ("text" in block ? block.text : block.kind))).toEqual(["hm", "Hello", "call"]);
  expect(run.blocks).toBe(run.blocks);
});

it("asks, and shows the arguments that a person changed beside those of the model", () => {
  const run = fold(
    event("tool_call_start", { id: "c", name: "pay" }),
    event("tool_call_ready", { id: "c", name: "pay", arguments: { eur: 5 } }),
    done("c", "suspended", { suspended: question }),
    event("run_finish", { termination: { type: "suspended" } }),
  );
  expect([run.status, run.questions.map(({ id }) => id)]).toEqual(["needs approval", ["c"]]);
  run.add(event("tool_call_resumed", { target_id: "c", result: { action: "resume", arguments: { eur: 4 } } }));
  run.add(done("c", "succeeded"));
  run.add(event("run_finish", { termination: { type: "natural_end" } }));
  const [call] = run.blocks;
  expect(call?.kind === "call" && call.call).toMatchObject({
    status: "done",
    arguments: { eur: 4 },
    original: { eur: 5 },
  });
  expect(run.status).toBe("done");
});

it("takes back what a step showed when the model is asked anew", () => {
  const run = fold(
    event("text_delta", { delta: "kept" }),
    event("step_start", { message_id: "m" }),
    event("text_delta", { delta: "lost" }),
    event("tool_call_start", { id: "c", name: "pay" }),
    event("step_reset", { message_id: "m" }),
    event("text_delta", { delta: "new" }),
  );
  expect(run.blocks.map((block) => "text" in block && block.text)).toEqual(["kept", "new"]);
});

it("shows a run below in the card of the call that started it, however deep", () => {
  const lineage = (depth: number) => ({ parent_run_id: "x", call_id: "c", agent_id: "helper", depth });
  const run = fold(
    event("tool_call_start", { id: "c", name: "agent_run" }),
    event("child_run_start", { id: "c", child_run_id: "r2", child_thread_id: "t2", agent_id: "helper", depth: 1 }),
    event("tool_call_start", { id: "d", name: "agent_run" }, { run_id: "r2", lineage: lineage(1) }),
    event(
      "child_run_start",
      { id: "d", child_run_id: "r3", child_thread_id: "t3", agent_id: "deep", depth: 2 },
      { run_id: "r2", lineage: lineage(1) },
    ),
    event("text_delta", { delta: "from below" }, { run_id: "r3", lineage: lineage(2) }),
  );
  const [outer] = run.blocks;
  const inner = outer?.kind === "call" ? outer.call.child?.blocks[0] : undefined;
  const deepest = inner?.kind === "call" ? inner.call.child?.blocks[0] : undefined;
  expect(deepest).toMatchObject({ kind: "text", text: "from below" });
});
