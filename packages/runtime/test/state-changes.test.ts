import { toolFailure, toolResult } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { openRuntime } from "./support/open-runtime.ts";
import { notes } from "./support/tools.ts";

/** Runs one call of a tool that adds a note and returns this. */
async function play(returned: unknown) {
  const tool = defineTool({
    id: "note",
    description: "Adds a note.",
    execute(_, { state }) {
      state.apply(notes.add("a"));
      return returned;
    },
  });
  const { runtime } = await openRuntime({ script: [[{ call: "note" }], "ok"], tools: [tool] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const events = [];
  for await (const event of run.events()) events.push(event);
  return { events, state: await runtime.threads.state("t1") };
}

it("tells clients what a tool changed, as JSON Patch, after the call's result", async () => {
  const { events, state } = await play("done");
  const delta = events.find(({ type }) => type === "state_delta");
  expect(delta?.data).toEqual({ delta: [{ op: "add", path: "/notes", value: ["a"] }] });
  const done = events.find(({ type }) => type === "tool_call_done");
  expect(delta?.seq).toBe((done?.seq ?? 0) + 1);
  expect(notes.read(state)).toEqual(["a"]);
});

it("changes nothing when a tool says that it failed", async () => {
  const { events, state } = await play(toolResult(toolFailure("note", "execution_failed", "No.")));
  expect(events.map(({ type }) => type)).not.toContain("state_delta");
  expect(notes.read(state)).toEqual([]);
});
