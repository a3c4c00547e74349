import { defineAgent, defineState, defineTool, type Message } from "reprise";
import { isToolResult, pacedModel, wordsOf } from "./paced-model.ts";

/** What agent and page draw together. */
const shapes = defineState({
  path: "shapes",
  initial: (): string[] => [],
  actions: { draw: (drawn, shape: string) => [...drawn, shape], clear: () => [] },
});

const draw = defineTool({
  id: "draw",
  description: "Draws a circle.",
  execute: (_input, { state }) => {
    state.apply(shapes.draw("circle"));
    return "drawn";
  },
});

const clear = defineTool({
  id: "clear",
  description: "Clears the canvas.",
  needsApproval: true,
  execute: (_input, { state }) => {
    state.apply(shapes.clear());
    return "cleared";
  },
});

/** Does what the last message says, `draw`, `clear`, `zoom` or `think`, and repeats anything else. */
function play(messages: readonly Message[]) {
  const last = messages.at(-1);
  if (isToolResult(last)) return "Done.";
  const said = wordsOf(last);
  if (said === "draw" || said === "clear") return [{ call: said }];
  if (said === "zoom") return [{ call: "zoom_in" }];
  if (said === "think") return [{ text: "Let me think." }, { stall: true as const }];
  return `You said: ${said}`;
}

/** The agent of `copilotkit-starter`. */
export const painter = defineAgent({ id: "painter", model: pacedModel(play, "painter"), tools: [draw, clear] });
