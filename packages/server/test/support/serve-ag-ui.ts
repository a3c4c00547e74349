import { awaitRun, type NewChildRun, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent, defineTool } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { createRuntime } from "reprise";
import { demoAgents } from "./demo-agents.ts";
import { openPlace, serveUntilTold } from "./serve-until-told.ts";

// A server of the demo, with agents that show the rest of what an AG-UI client can be told.
const [, , place = ""] = process.argv;
const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async (child: NewChildRun, { runs }) => awaitRun(await runs.start(child)),
});
const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" });
const measure = defineTool({
  id: "measure",
  description: "Says how far it is.",
  execute: (_, { progress }) => {
    for (const at of [1, 2]) progress({ progress: at, total: 2 });
    return "done";
  },
});
const work = { call: "delegate", arguments: { agentId: "worker", prompt: "pay it" } };
const used = { usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12 } };
const boss = scriptedModel(({ messages }) => (messages.at(-1)?.role === "tool" ? "All is paid." : [work]), "boss");
const worker = scriptedModel(({ messages }) => {
  return messages.at(-1)?.role === "tool" ? "I paid." : [{ text: "I need leave." }, { call: "pay" }];
}, "worker");
const thinker = scriptedModel(({ messages }) => {
  return messages.at(-1)?.role === "tool"
    ? [{ text: "Measured." }, used]
    : [{ reasoning: "Let me measure." }, { call: "measure" }, used];
}, "thinker");
/** Says what it was told by the client: the prompt, and the context behind what was said. */
const asked = scriptedModel(({ system = "", messages }) => {
  return `${system} ${messages.map((message) => textOf(message)).join(" ")}`;
}, "asked");
const store = await openPlace(place);
const runtime = await createRuntime({
  agents: [
    ...demoAgents(),
    defineAgent({ id: "boss", model: boss, tools: [delegate] }),
    defineAgent({ id: "worker", model: worker, tools: [pay] }),
    defineAgent({ id: "thinker", model: thinker, tools: [measure] }),
    defineAgent({ id: "open", model: scriptedModel(() => "own", "own"), clientOverrides: true }),
  ],
  providers: [{ id: "q", model: () => asked }],
  models: [{ id: "q/m", provider: "q", model: "m" }],
  store,
});
await serveUntilTold({ store, runtime, doors: [{ server: createServer({ runtime }) }] });
