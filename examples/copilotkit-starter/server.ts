import { createRuntime, defineAgent, defineState, defineTool, type Message, scriptedModel, sqlite } from "reprise";
import { createServer } from "reprise/server";
import { listen } from "reprise/server/node";

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

/** Stands in for a model: does what the last message says, `draw`, `clear`, `zoom` or `think`, and repeats anything else. */
function play(messages: readonly Message[]) {
  const last = messages.findLast(({ visibility }) => visibility !== "internal");
  if (last?.role === "tool") return "Done.";
  const said = typeof last?.content === "string" ? last.content : "";
  if (said === "draw" || said === "clear") return [{ call: said }];
  if (said === "zoom") return [{ call: "zoom_in" }];
  if (said === "think") return [{ text: "Let me think." }, { stall: true as const }];
  return `You said: ${said}`;
}

const [, , file = "canvas.db", port = "8080"] = process.argv;
const store = await sqlite(file);
const model = scriptedModel(({ messages }) => play(messages));
const painter = defineAgent({ id: "painter", model, tools: [draw, clear] });
const runtime = await createRuntime({ agents: [painter], store });
const listening = await listen(createServer({ runtime }), { port: Number(port) });
console.log(listening.url);

process.once("SIGTERM", async () => {
  await listening.close();
  await runtime.close();
  await store.close();
});
