import type { AgentEvent } from "@reprise/contracts";
import { encodeAiSdkEvent, INITIAL_STATE } from "@reprise/protocols/ai-sdk";
import { encodeFactEvent, INITIAL_FACT_STATE } from "@reprise/protocols/facts";
import { expect, it } from "vitest";

const at = { run_id: "r1", thread_id: "t1", timestamp_ms: 5 };
const events: readonly AgentEvent[] = [
  { ...at, type: "run_start", seq: 1, data: {} },
  { ...at, type: "step_start", seq: 2, step_id: "r1-s1", data: { message_id: "r1-s1-m" } },
  { ...at, type: "step_end", seq: 3, step_id: "r1-s1" },
  { ...at, type: "agent_handoff", seq: 4, data: { from: "math", to: "code", number: 1 } },
  { ...at, type: "step_start", seq: 5, step_id: "r1-s2", data: { message_id: "r1-s2-m" } },
];

it("shows a handoff to a chat as a part of the message, between the steps of the two agents", () => {
  let state = INITIAL_STATE;
  const chunks = events.flatMap((event) => {
    const [next, made] = encodeAiSdkEvent(state, event);
    state = next;
    return made;
  });
  const parts = chunks.filter(({ type }) => ["start-step", "finish-step", "data-agent-handoff"].includes(type));
  expect(parts).toEqual([
    { type: "start-step" },
    { type: "finish-step" },
    { type: "data-agent-handoff", id: "r1-handoff-1", data: { from: "math", to: "code", number: 1 } },
    { type: "start-step" },
  ]);
});

it("tells a handoff as a fact about how the run stands", () => {
  let state = INITIAL_FACT_STATE;
  const facts = events.flatMap((event) => {
    const [next, made] = encodeFactEvent(state, event);
    state = next;
    return made;
  });
  const told = facts.filter(({ type }) => type === "run.status");
  expect(told).toMatchObject([
    { payload: { status: "running", reason: "agent_handoff", agentId: "code", fromAgentId: "math", handoff: 1 } },
  ]);
});
