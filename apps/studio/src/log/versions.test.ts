import { expect, it } from "vitest";
import type { Version } from "../api/types.ts";
import type { RunView } from "./block.ts";
import { describeVersions, locateBlocks, momentAt, nextStep, seqAt } from "./versions.ts";

const run = (steps: number, last_seq: number, status: "running" | "waiting" | "done" = "running") => ({
  status,
  steps,
  last_seq,
  input_tokens: 3,
  output_tokens: 4,
  cost_microcents: steps * 10,
});
const version = (number: number, reasons: readonly string[], more: Partial<Version>): Version => ({
  version: number,
  changeset_id: `c${number}`,
  run_id: "r",
  reasons: [...reasons],
  message_ids: [],
  supersedes: [],
  patches: [],
  actions: [],
  calls: [],
  ...more,
});
const VERSIONS = [
  version(1, ["user_message"], { timestamp_ms: 1000, run: run(0, 1) }),
  version(2, ["assistant_turn", "tool_intent"], { timestamp_ms: 3000, run: run(1, 9) }),
  version(3, ["tool_results"], { timestamp_ms: 3500, run: run(1, 10, "waiting") }),
  version(4, ["assistant_turn", "run_finished"], { timestamp_ms: 9000, run: run(2, 20, "done") }),
];

it("tells versions by their last reason, with the time since the one before", () => {
  expect(describeVersions(VERSIONS).map(({ kind, label, tookMs }) => [kind, label, tookMs])).toEqual([
    ["said", "Message received", 0],
    ["tools", "Tools started", 2000],
    ["wait", "Waiting", 500],
    ["end", "Run ended", 5500],
  ]);
});

it("finds the moment of a version, the step that comes next, and the last event of a run by then", () => {
  const moments = describeVersions(VERSIONS);
  expect(momentAt(moments, 3)?.version).toBe(3);
  expect(momentAt(moments, 99)?.version).toBe(4);
  expect(moments.map((moment) => nextStep(moment, 2))).toEqual([1, 2, 2, 2]);
  expect([1, 2, 3, 4].map((at) => seqAt(VERSIONS, "r", at))).toEqual([1, 9, 10, 20]);
  expect(seqAt(VERSIONS, "other", 4)).toBe(0);
});

it("says with which version something that was shown live was committed", () => {
  const view: RunView = {
    runId: "r",
    agentId: "a",
    status: "done",
    blocks: [
      { key: "u", kind: "user", text: "hi", files: [], messageId: "" },
      { key: "t", kind: "text", text: "…", seq: 5 },
      { key: "e", kind: "text", text: "done", seq: 15 },
      { key: "l", kind: "text", text: "not committed", seq: 21 },
    ],
  };
  const [located] = locateBlocks([view], VERSIONS);
  expect(located?.blocks.map((block) => block.version)).toEqual([1, 2, 4, undefined]);
});
