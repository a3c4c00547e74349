import { expect, it } from "vitest";
import type { WitnessRecord } from "../witness/witness-record.ts";
import { measurePauses, measureReturns } from "./measure-pauses.ts";
import { ruleOfThree } from "./rule-of-three.ts";

function seen(at: number, epoch: number, type: "text_delta" | "tool_call_done" | "run_finish"): WitnessRecord {
  // Only the type and the run of an event are looked at here.
  const event = { type, run_id: "r", thread_id: "t", seq: 1, timestamp_ms: at, data: {} } as never;
  return { at, type: "event", stream: 1, cursor: `r:${epoch}:1`, event };
}

const kill = (at: number): WitnessRecord => ({ at, type: "fault", fault: "kill", worker: "w" });

it("bounds what was never seen by the rule of three", () => {
  expect([ruleOfThree(1_000), ruleOfThree(10), ruleOfThree(2), ruleOfThree(0)]).toEqual([0.003, 0.3, 1, 1]);
});

it("measures from the last kill to the first word of the next owner", () => {
  const story = [seen(10, 1, "text_delta"), kill(20), kill(30), seen(130, 2, "text_delta"), seen(140, 2, "text_delta")];
  expect(measurePauses(story)).toEqual([100]);
});

it("measures nothing where a run waited, or continued by itself", () => {
  expect(measurePauses([seen(10, 1, "run_finish"), kill(20), seen(130, 2, "text_delta")])).toEqual([]);
  expect(measurePauses([seen(10, 1, "text_delta"), kill(20), seen(30, 1, "text_delta")])).toEqual([]);
  expect(measurePauses([kill(5), seen(10, 1, "text_delta"), seen(30, 2, "text_delta")])).toEqual([]);
});

it("measures how long a store that is back is waited for", () => {
  const healed: WitnessRecord = { at: 50, type: "healed", fault: "restart" };
  expect(
    measureReturns([seen(10, 1, "tool_call_done"), healed, seen(60, 1, "text_delta"), seen(90, 1, "tool_call_done")]),
  ).toEqual([40]);
});
