import type { AgentEvent } from "@reprise/contracts";
import { expect, it } from "vitest";
import { countWords, foldBranches, groupBranches } from "./fold-branches.ts";

const event = (type: string, runId: string, data: object = {}): AgentEvent =>
  // The events of a test have the fields that are read.
  ({ type, run_id: runId, thread_id: "t", seq: 1, timestamp_ms: 1, data }) as unknown as AgentEvent;
const start = (parent: string, child: string, agent: string) =>
  event("child_run_start", parent, { child_run_id: child, agent_id: agent });
const finish = (run: string, type: string) => event("run_finish", run, { termination: { type } });

it("folds many siblings of one agent into one line, and counts how they stand", () => {
  const children = Array.from({ length: 50 }, (_, index) => `c${index}`);
  const branches = foldBranches([
    ...children.map((child) => start("top", child, "leaf")),
    start("top", "other", "writer"),
    start("c3", "deep", "leaf"),
    ...children.slice(0, 40).map((child) => finish(child, child === "c7" ? "error" : "natural_end")),
    finish("c41", "suspended"),
    event("cost_recorded", "c1", { cost_microcents: 5 }),
  ]);
  const groups = groupBranches(branches, "top");
  expect(groups.map(({ agentId, branches: own, isFolded }) => [agentId, own.length, isFolded])).toEqual([
    ["leaf", 50, true],
    ["writer", 1, false],
  ]);
  expect(countWords(groups[0]?.branches ?? [])).toEqual([
    ["failed", 1],
    ["waiting", 1],
    ["running", 9],
    ["done", 39],
  ]);
  expect(groupBranches(branches, "c3").map(({ agentId }) => agentId)).toEqual(["leaf"]);
  expect(branches.find(({ runId }) => runId === "c1")?.costMicrocents).toBe(5);
});
