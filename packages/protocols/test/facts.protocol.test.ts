import { fileURLToPath } from "node:url";
import {
  createFactEncoder,
  encodeFactEvent,
  type Fact,
  factSchema,
  INITIAL_FACT_STATE,
} from "@reprise/protocols/facts";
import { describeProtocol, loadScenes } from "@reprise/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";

const isFact = new Ajv2020({ strict: false, formats: { "date-time": true } }).compile(factSchema());

function assertFacts(frames: string): void {
  const lines = frames.split("\n").filter((line) => line.startsWith("data: "));
  for (const line of lines) {
    const fact: Fact = JSON.parse(line.slice("data: ".length));
    if (!isFact(fact)) throw new Error(`${JSON.stringify(fact)}: ${JSON.stringify(isFact.errors)}`);
  }
  if (lines.length === 0) throw new Error("There are no facts.");
}

describeProtocol("facts", () => ({
  open: () => createFactEncoder(),
  assertValid: assertFacts,
  golden: fileURLToPath(new URL("./golden/facts/", import.meta.url)),
  extension: ".sse",
}));

/** The facts of every recorded run. */
const scenes = loadScenes().map(({ name, events }) => {
  let state = INITIAL_FACT_STATE;
  const facts = events.flatMap(({ event }) => {
    const [next, told] = encodeFactEvent(state, event);
    state = next;
    return told;
  });
  return { name, facts };
});

const factsOf = (scene: string, type: string): readonly Fact[] =>
  scenes.flatMap(({ name, facts }) => (name === scene ? facts.filter((fact) => fact.type === type) : []));

it.each(scenes)("gives every fact of $name that counts an id of its own, in the order of the events", ({ facts }) => {
  const from = facts.findLastIndex(({ payload }) => payload.fromSequence !== undefined) + 1;
  const counting = facts.slice(from);
  expect(new Set(counting.map(({ eventId }) => eventId)).size).toBe(counting.length);
  const order = counting.map(({ sequence }) => sequence);
  expect(order).toEqual(order.toSorted((left, right) => left - right));
});

it.each(scenes)("tells the end of every call that $name began, once", ({ facts }) => {
  const idsOf = (...types: readonly string[]): readonly string[] =>
    facts.flatMap(({ type, toolCallId = "" }) => (types.includes(type) ? [toolCallId] : []));
  const ended = idsOf("tool.result", "tool.failed");
  expect(new Set(ended).size).toBe(ended.length);
  const isOver = facts.some(({ type }) => type === "turn.completed" || type === "turn.failed");
  if (isOver) for (const id of idsOf("tool.args")) expect([...ended, ...idsOf("snapshot.repaired")]).toContain(id);
});

it("links a call to the approval that let it run", () => {
  const [asked] = factsOf("approval-approved", "action.required");
  const [decided] = factsOf("approval-approved", "action.resolved");
  const [done] = factsOf("approval-approved", "tool.result");
  expect(asked?.actionId).toBeDefined();
  expect(decided).toMatchObject({ actionId: asked?.actionId, payload: { decision: "resume", isEdited: false } });
  expect(done?.payload).toMatchObject({ approvalRef: asked?.actionId });
});

it("says of a call that never ran that it was cancelled, and why", () => {
  const [expired] = factsOf("expired", "tool.failed");
  expect(expired?.payload).toMatchObject({ status: "cancelled", category: "expired", retryable: true });
  expect(factsOf("cancelled", "run.status").at(-1)?.payload).toMatchObject({ status: "cancelled" });
});

it("says which way a call failed and what to do about it", () => {
  const failures = factsOf("tool-errors", "tool.failed");
  expect(failures.length).toBeGreaterThan(0);
  for (const { payload } of failures) {
    expect(payload).toMatchObject({
      category: expect.any(String),
      retryable: expect.any(Boolean),
      advice: expect.any(String),
    });
  }
});

it("leaves out arguments and results that are large, and says where they are", () => {
  const large = "x".repeat(10_000);
  const event = { run_id: "r", thread_id: "t", seq: 7, timestamp_ms: 0, step_id: "s" } as const;
  const [state, [told]] = encodeFactEvent(INITIAL_FACT_STATE, {
    ...event,
    type: "tool_call_ready",
    data: { id: "c", name: "n", arguments: { large } },
  });
  expect(told?.payload).toEqual({ toolName: "n", argumentsRef: "event:r:7" });
  const result = { tool_name: "n", status: "success", data: large, message: null, metadata: {} } as const;
  const [, [done]] = encodeFactEvent(state, {
    ...event,
    type: "tool_call_done",
    data: { id: "c", result, message_id: "m", outcome: "succeeded" },
  });

  expect(done?.payload).toMatchObject({ resultRef: "message:m", isTruncated: true });
  expect(String(done?.payload.preview)).toHaveLength(2_000);
});

it("cannot be confused by calls and tools with the names of an object's own members", () => {
  const event = { run_id: "r", thread_id: "t", seq: 1, timestamp_ms: 0, step_id: "s" } as const;
  for (const name of ["__proto__", "constructor", "toString"]) {
    const [state, [started]] = encodeFactEvent(INITIAL_FACT_STATE, {
      ...event,
      type: "tool_call_start",
      data: { id: name, name },
    });
    expect(started?.payload).toEqual({ toolName: name });
    const result = {
      tool_name: name,
      status: "error",
      data: { error: { code: name } },
      message: "no",
      metadata: {},
    } as const;
    const data = { id: name, result, message_id: "m", outcome: "failed" } as const;
    const [, [failed]] = encodeFactEvent(state, { ...event, type: "tool_call_done", data });
    expect(failed?.payload).toMatchObject({ category: name, retryable: false, advice: expect.any(String) });
  }
});
