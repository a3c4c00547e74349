import { expect, it } from "vitest";
import { buildRows } from "./build-lanes.ts";
import type { Span, SpanKind } from "./build-spans.ts";

function span(kind: SpanKind, runId: string, depth: number, more: Partial<Span>): Span {
  const id = `${runId}-${kind}-${more.callId ?? more.step ?? ""}`;
  return {
    id,
    kind,
    runId,
    depth,
    label: kind,
    lane: runId,
    from: 0,
    to: 9,
    isFailed: false,
    isOpen: false,
    seq: 1,
    ...more,
  };
}

const SPANS = [
  span("step", "top", 0, { step: 1, label: "Step 1", costMicrocents: 5 }),
  span("wait", "top", 0, { callId: "c1" }),
  span("tool", "top", 0, { callId: "c1" }),
  span("run", "desk", 1, { parentRunId: "top", parentCallId: "c1" }),
  span("step", "desk", 1, { step: 1, costMicrocents: 3, parentRunId: "top", parentCallId: "c1" }),
  span("tool", "desk", 1, { callId: "d1", parentRunId: "top", parentCallId: "c1" }),
  span("run", "reporter", 2, { parentRunId: "desk", parentCallId: "d1" }),
  span("step", "reporter", 2, { step: 1, parentRunId: "desk", parentCallId: "d1" }),
  span("tool", "top", 0, { callId: "c2", label: "clock" }),
];

it("puts each run below into one lane, in the place of the call that started it", () => {
  const rows = buildRows(SPANS, new Set());
  expect(rows.map(({ label, depth, bars }) => [label, depth, bars.map(({ kind }) => kind)])).toEqual([
    ["Step 1", 0, ["step"]],
    ["desk", 1, ["step"]],
    ["reporter", 2, ["step"]],
    ["clock", 0, ["tool"]],
  ]);
  expect(rows.map(({ costMicrocents }) => costMicrocents)).toEqual([5, 3, 0, 0]);
});

it("shows the spans of a lane that is opened in rows of their own, and the lanes below it stay", () => {
  const rows = buildRows(SPANS, new Set(["desk"]));
  expect(rows.map(({ id }) => id)).toEqual(["top-step-1", "desk", "desk-step-1", "reporter", "top-tool-c2"]);
});
