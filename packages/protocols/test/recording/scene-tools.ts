import { awaitRun, suspendTool, type Tool } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { z } from "zod";

export const weather: Tool = defineTool({
  id: "weather",
  description: "Tells the weather of a city.",
  class: "read_only",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: city.length }),
});

export const wire: Tool = defineTool({
  id: "wire",
  description: "Sends money.",
  needsApproval: true,
  inputSchema: z.object({ to: z.string(), amount: z.number() }),
  execute: ({ amount }) => ({ sent: amount }),
});

export const broken: Tool = defineTool({
  id: "broken",
  description: "Never works.",
  execute() {
    throw new Error("The machine is on fire.");
  },
});

export const slow: Tool = defineTool({
  id: "slow",
  description: "Says how far it is.",
  execute(_, context) {
    context.progress({ progress: 1, total: 2, message: "half" });
    context.progress({ progress: 2, total: 2, message: "whole" });
    return "done";
  },
});

export const locate: Tool = defineTool({
  id: "locate",
  description: "Asks the browser where the user is.",
  execute: () => suspendTool({ action: "tool:locate", resumeMode: "use_decision_as_tool_result" }),
});

export const delegate: Tool = defineTool({
  id: "delegate",
  description: "Has the agent work on a task in a run of its own.",
  idempotent: true,
  recursive: true,
  inputSchema: z.object({ prompt: z.string() }),
  execute: async ({ prompt }, { runs }) => awaitRun(await runs.start({ agentId: "agent", prompt })),
});

/** Asks until it is given a number; each question has its time. */
export const book: Tool = defineTool({
  id: "book",
  description: "Books a table.",
  execute(_, { decision }) {
    if (typeof decision?.result === "number") return { table_for: decision.result };
    return suspendTool({ action: "how_many", message: "For how many?", expiresInMs: 60_000 });
  },
});

const canvas = defineState({
  path: "canvas",
  initial: (): { readonly title: string; readonly shapes: readonly string[] } => ({ title: "Empty", shapes: [] }),
  actions: {
    draw: (drawn, shape: string) => ({ title: `A ${shape}`, shapes: [...drawn.shapes, shape] }),
  },
});

export const draw: Tool = defineTool({
  id: "draw",
  description: "Draws on the canvas that the agent and the page share.",
  inputSchema: z.object({ shape: z.string() }),
  execute({ shape }, { state }) {
    state.apply(canvas.draw(shape));
    return "drawn";
  },
});
