import { fileURLToPath } from "node:url";
import type { AgentEvent, SessionEvent, Termination } from "@reprise/contracts";
import {
  createWorkflowEncoder,
  encodeSessionEvent,
  encodeWorkflowEvent,
  INITIAL_WORKFLOW_STATE,
  WORKFLOW_TERMINALS,
  type WorkflowEvent,
  workflowEventSchema,
} from "@reprise/protocols/workflow";
import { describeProtocol, encodeScene, loadScenes, type ProtocolScene } from "@reprise/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

const isEvent = new Ajv2020({ strict: false, formats: { "date-time": true } }).compile(workflowEventSchema());

function readEvents(frames: string): readonly WorkflowEvent[] {
  const lines = frames.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}

/** A client of the encoding: takes events of the schema, numbers without a gap, and one end. */
function assertClientTakes(frames: string, { name }: Pick<ProtocolScene, "name">): void {
  const events = readEvents(frames);
  if (name.startsWith("workflow") !== events.length > 0) throw new Error(`${name} has ${events.length} events.`);
  for (const [index, event] of events.entries()) {
    if (!isEvent(event)) throw new Error(`${JSON.stringify(event)}: ${JSON.stringify(isEvent.errors)}`);
    if (event.sequenceNumber !== index + 1) throw new Error(`There is a gap before ${JSON.stringify(event)}.`);
  }
  const ends = events.filter(({ type }) => WORKFLOW_TERMINALS.includes(type));
  if (ends.length > 1) throw new Error("There is more than one end.");
  if (ends.length === 1 && events.at(-1) !== ends[0]) throw new Error("Something follows the end.");
}

describeProtocol("workflow", () => ({
  open: () => createWorkflowEncoder(),
  assertValid: assertClientTakes,
  golden: fileURLToPath(new URL("./golden/workflow/", import.meta.url)),
  extension: ".sse",
  keepsGolden: ({ name }) => name.startsWith("workflow"),
}));

const scenes = loadScenes();

function eventsOf(name: string): readonly WorkflowEvent[] {
  const scene = scenes.find((one) => one.name === name);
  if (scene === undefined) throw new Error(`There is no scene ${name}.`);
  return readEvents(encodeScene({ open: () => createWorkflowEncoder() }, scene).join(""));
}

const typesOf = (name: string): readonly string[] => eventsOf(name).map(({ type }) => type);

describe("a workflow run", () => {
  it("ends with the outputs of its output nodes, its tokens and its cost", () => {
    expect(eventsOf("workflow").at(-1)).toMatchObject({
      type: "run:completed",
      runId: "run-1",
      outputs: { out: "Tea is green." },
      totalTokensUsed: { input: 20, output: 10 },
      totalCostMicrocents: 12_000,
      durationMs: 0,
    });
  });

  it("pauses at a gate and continues in the same order of numbers", () => {
    const types = typesOf("workflow-gate");
    const from = types.indexOf("human_gate:paused");
    expect(types.slice(from, from + 4)).toEqual([
      "human_gate:paused",
      "run:paused",
      "human_gate:resumed",
      "node:completed",
    ]);
    const [paused] = eventsOf("workflow-gate").filter(({ type }) => type === "human_gate:paused");
    expect(paused).toMatchObject({
      nodeId: "publish",
      gateType: "approval",
      timeoutMs: 60_000,
      timeoutAction: "reject",
    });
    const [waiting] = eventsOf("workflow-gate").filter(({ type }) => type === "run:paused");
    expect(waiting).toMatchObject({ pendingGateCount: 1, gateIds: [paused?.gateId] });
  });

  it("says that its time is up before it fails, and what it had until then", () => {
    expect(typesOf("workflow-timeout").slice(-2)).toEqual(["run:timeout", "run:failed"]);
    expect(eventsOf("workflow-timeout").at(-2)).toMatchObject({ elapsedMs: 0, timeoutMs: 60_000 });
    expect(eventsOf("workflow-failed").at(-1)).toMatchObject({
      error: { code: "provider_unavailable", retryable: true },
      partialOutputs: { first: "half" },
    });
    expect(typesOf("workflow-cancelled").at(-1)).toBe("run:cancelled");
  });

  it("says of a failure what the run says, whatever its code, and of the runtime's own what the catalogue says", () => {
    const envelope = { run_id: "r", thread_id: "t", seq: 1, timestamp_ms: 0 } as const;
    const begin: AgentEvent = {
      ...envelope,
      type: "workflow_start",
      data: { workflow_id: "w", document: "d", inputs: {} },
    };
    const told = (termination: Extract<Termination, { type: "error" }>) => {
      const end: AgentEvent = { ...envelope, type: "run_finish", data: { termination } };
      const [state] = encodeWorkflowEvent(INITIAL_WORKFLOW_STATE, begin);
      return encodeWorkflowEvent(state, end)[1].at(-1)?.error;
    };
    const value = "It failed.";
    for (const retryable of [true, false]) {
      for (const code of ["sandbox_error", "tool_failed", "provider_unavailable", "validation"]) {
        expect(told({ type: "error", value, code, retryable })).toMatchObject({ code, retryable });
      }
    }
    expect(told({ type: "error", value, code: "STORE_UNAVAILABLE" })).toMatchObject({ retryable: true });
    expect(told({ type: "error", value, code: "INTERNAL" })).toMatchObject({ retryable: false });
    expect(told({ type: "error", value, code: "toString" })).toMatchObject({ retryable: false });
  });

  it("tells of budgets and of media that is being made", () => {
    expect(eventsOf("workflow-budget").find(({ type }) => type === "budget:paused")).toMatchObject({
      nodeId: "draft",
      spentMicrocents: 6_000,
      limitMicrocents: 5_000,
    });
    expect(eventsOf("workflow-media").find(({ type }) => type === "media_job:submitted")).toMatchObject({
      nodeId: "film",
      jobId: "job-1",
    });
    const envelope = { run_id: "r", thread_id: "t", seq: 1, timestamp_ms: 0 } as const;
    const begin: AgentEvent = {
      ...envelope,
      type: "workflow_start",
      data: { workflow_id: "w", document: "d", inputs: {} },
    };
    const warning: AgentEvent = {
      ...envelope,
      type: "budget_warning",
      data: {
        reason: "near_limit",
        limit_microcents: 100,
        limit_tokens: null,
        spent_microcents: 85,
        spent_tokens: 0,
        reserved_microcents: 0,
        reserved_tokens: 0,
      },
    };
    const [state] = encodeWorkflowEvent(INITIAL_WORKFLOW_STATE, begin);
    const [, [warned]] = encodeWorkflowEvent(state, warning);
    expect(warned).toMatchObject({
      type: "budget:warning",
      spentMicrocents: 85,
      limitMicrocents: 100,
      thresholdPct: 85,
    });
  });
});

describe("a session", () => {
  const events: readonly SessionEvent[] = [
    { type: "session_start", session_id: "s", seq: 1, timestamp_ms: 0, data: { agent_id: "a", model: "m" } },
    { type: "turn_start", session_id: "s", seq: 2, timestamp_ms: 1, data: { turn: 1 } },
    { type: "node_delta", session_id: "s", seq: 3, timestamp_ms: 2, data: { node_id: "a", delta: "Hi.", model: "m" } },
    {
      type: "approval_request",
      session_id: "s",
      seq: 4,
      timestamp_ms: 3,
      data: { node_id: "a", id: "c", tool_id: "pay", preview: "{}" },
    },
    {
      type: "turn_end",
      session_id: "s",
      seq: 5,
      timestamp_ms: 4,
      data: { turn: 1, stop_reason: "end_turn", tokens: { input: 1, output: 1, model: "m" } },
    },
    { type: "session_trim", session_id: "s", seq: 6, timestamp_ms: 5, data: { messages: 2 } },
    { type: "session_export", session_id: "s", seq: 7, timestamp_ms: 5, data: { workflow_id: "w" } },
    { type: "session_cancel", session_id: "s", seq: 8, timestamp_ms: 5, data: {} },
  ];

  it("has events of the schema, with its own id instead of a run's", () => {
    const encoded = events.map(encodeSessionEvent);
    for (const event of encoded) expect(isEvent(event), JSON.stringify([event, isEvent.errors])).toBe(true);
    expect(encoded.map(({ type }) => type)).toEqual([
      "session:started",
      "session:turn_started",
      "agent:token",
      "agent:approval_requested",
      "session:turn_completed",
      "session:trimmed",
      "session:exported",
      "session:cancelled",
    ]);
    expect(encoded.every(({ sessionId, runId }) => sessionId === "s" && runId === undefined)).toBe(true);
  });
});
