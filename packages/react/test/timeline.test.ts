import { addToTimeline, EMPTY_TIMELINE } from "@reprise/react";
import { loadScenes } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { applyEvent, type ThreadView } from "../src/thread-store.ts";

const scenes = loadScenes();

function timelineOf(name: string) {
  const scene = scenes.find((each) => each.name === name);
  return (scene?.events ?? []).reduce((timeline, { event }) => addToTimeline(timeline, event), EMPTY_TIMELINE);
}

describe("a timeline", () => {
  it.each(scenes)("of $name has no row without an end once its run is over", ({ name }) => {
    const { status, rows } = timelineOf(name);
    if (status !== "running" && status !== "waiting")
      expect(rows.filter(({ endMs }) => endMs === undefined)).toEqual([]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it("shows steps, models, tools and the wait for a decision", () => {
    const { rows, status } = timelineOf("approval-approved");
    expect(status).toBe("done");
    expect(rows.map(({ kind, name, status: each }) => [kind, name, each])).toEqual([
      ["step", "Step 1", "done"],
      ["tool", "wire", "done"],
      ["model", "p/m", "done"],
      ["wait", "wire", "done"],
      ["step", "Step 2", "done"],
      ["model", "p/m", "done"],
    ]);
  });

  it("counts tokens and cost", () => {
    const scene = scenes.find(({ name }) => name === "approval-approved");
    const [step] = (scene?.events ?? []).filter(({ event }) => event.type === "inference_complete");
    if (step?.event.type !== "inference_complete") throw new Error("There is no inference.");
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    const counted = { ...step.event, data: { ...step.event.data, usage } };
    expect(addToTimeline(EMPTY_TIMELINE, counted)).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });
});

describe("the view of a thread", () => {
  const play = (name: string): ThreadView => {
    const scene = scenes.find((each) => each.name === name);
    const empty: ThreadView = { status: "idle", messages: [] };
    return (scene?.events ?? []).reduce((view, { event }) => applyEvent(view, scene?.run_id ?? "", event), empty);
  };

  it.each([
    ["text", "idle"],
    ["approval-open", "waiting"],
    ["approval-approved", "idle"],
    ["failed", "failed"],
    ["cancelled", "idle"],
  ])("after %s is %s", (name, status) => {
    expect(play(name).status).toBe(status);
  });

  it("keeps the call that needs approval in sight while the run waits", () => {
    expect(play("approval-open").live?.calls).toMatchObject([
      { name: "weather", status: "done" },
      { name: "wire", status: "needs_approval" },
    ]);
    expect(play("approval-approved").live).toBeUndefined();
  });

  it("takes text back that was never stored", () => {
    const { live } = play("stream-reset");
    expect(live?.text ?? "").not.toContain("half");
  });
});
