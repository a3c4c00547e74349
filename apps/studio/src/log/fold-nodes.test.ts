import type { AgentEvent } from "@reprise/contracts";
import { expect, it } from "vitest";
import { foldNodes, foldPlaces } from "./fold-nodes.ts";

let seq = 0;
const event = (type: string, data: object, runId = "r"): AgentEvent => {
  seq += 1;
  // The events of a test have the fields that are read.
  return { type, run_id: runId, thread_id: "t", seq, timestamp_ms: seq * 100, data } as unknown as AgentEvent;
};

it("tells attempts, their errors, time and cost of a node that was retried", () => {
  const error = { code: "tool_failed", message: "No answer.", retryable: true };
  const nodes = foldNodes(
    [{ node_id: "ask", status: "completed", attempt: 2, started_at: 100, output: "yes" }],
    [
      event("node_start", { node_id: "ask", node_type: "agent", attempt: 1 }),
      event("node_retry", { node_id: "ask", attempt: 2, error, delay_ms: 5 }),
      event("node_start", { node_id: "ask", node_type: "agent", attempt: 2 }),
      event("node_wait", { node_id: "ask", wait: "run", call_id: "c", child_run_id: "child" }),
      event("cost_recorded", { cost_microcents: 7, usage: { prompt_tokens: 3, completion_tokens: 2 } }, "child"),
      event("node_end", { node_id: "ask", outcome: "completed" }),
    ],
    "r",
  );
  expect(nodes.get("ask")).toMatchObject({
    word: "done",
    childRunId: "child",
    costMicrocents: 7,
    tokens: 5,
    attempts: [
      { number: 1, error: "No answer." },
      { number: 2, error: undefined },
    ],
  });
});

it("tells a node of a body by its most urgent instance, and counts items once", () => {
  const record = { attempt: 1, started_at: 1 };
  const places = foldPlaces(
    foldNodes(
      [
        { node_id: "each", status: "running", ...record, count: 2 },
        { node_id: "each[0].double", status: "completed", ...record },
        { node_id: "each[0]#item", status: "completed", ...record },
        { node_id: "each[1].double", status: "waiting", ...record, wait: { type: "gate", call_id: "c" } },
      ],
      [],
      "r",
    ),
  );
  expect([...places].map(([place, { word, instances }]) => [place, word, instances.length])).toEqual([
    ["each", "running", 1],
    ["each.double", "needs approval", 2],
  ]);
});
