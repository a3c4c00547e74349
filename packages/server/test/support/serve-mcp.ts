import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { scriptedModel } from "@reprise/models";
import { defineAgent, defineTool } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { createRuntime } from "reprise";
import { mcpAgents } from "./mcp-agents.ts";
import { openPlace, serveUntilTold } from "./serve-until-told.ts";

// A server with the agents of the tests, whose agent `slow` is done when the file that `GO` names is there.
const [, , place = ""] = process.argv;
const wait = defineTool({
  id: "wait",
  description: "Waits.",
  idempotent: true,
  async execute(_, { signal, progress }) {
    progress({ progress: 1, message: "Half way." });
    while (!existsSync(process.env.GO ?? "")) await sleep(20, undefined, { signal });
    return "waited";
  },
});
const model = scriptedModel(
  ({ messages }) => (messages.at(-1)?.role === "tool" ? "Done." : [{ call: "wait" }]),
  "slow",
);
const store = await openPlace(place);
const others = mcpAgents().agents.filter(({ id }) => id !== "slow");
const agents = [...others, defineAgent({ id: "slow", description: "Takes its time.", model, tools: [wait] })];
const runtime = await createRuntime({ agents, store });
const mcp = { taskAfterMs: 50, tools: [{ agent: "payer", tool: "lookup" }] };
await serveUntilTold({ store, runtime, doors: [{ server: createServer({ runtime, mcp }) }] });
