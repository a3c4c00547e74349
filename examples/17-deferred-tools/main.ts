// A catalogue of 500 tools that costs the model two: one it always sees, and one to find the others.
import { createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { deferredTools } from "reprise/plugins/deferred-tools";
import { z } from "zod";

const SERVICES = ["billing", "calendar", "crm", "mail", "tickets"];
const ACTIONS = ["create", "list", "update", "archive"];
const KINDS = Array.from({ length: 25 }, (_, index) => `kind_${index + 1}`);
const catalogue = SERVICES.flatMap((service) =>
  ACTIONS.flatMap((action) =>
    KINDS.map((kind) =>
      defineTool({
        id: `${service}__${action}_${kind}`,
        description: `${action} a ${kind} in ${service}.`,
        inputSchema: z.object({ name: z.string(), note: z.string().optional() }),
        execute: ({ name }) => `${service}: ${action} ${kind} ${name}`,
      }),
    ),
  ),
);
const clock = defineTool({ id: "clock", description: "Says the time.", execute: () => "noon" });

const model = scriptedModel([
  [{ call: "tool_search", arguments: { query: "" } }],
  [{ call: "tool_search", arguments: { query: "+tickets create kind_7" } }],
  [{ call: "tickets__create_kind_7", arguments: { name: "printer" } }],
  "The ticket is there.",
]);
const agent = defineAgent({
  id: "desk",
  model,
  tools: [clock, ...catalogue],
  plugins: [deferredTools({ alwaysVisible: ["clock"], maxResults: 2 })],
});
const runtime = await createRuntime({ agents: [agent], store: memory() });
const run = await runtime.start({ agent: "desk", input: "Open a ticket for the printer." });
for await (const event of run.events()) {
  if (event.type === "tool_call_done") console.log(JSON.stringify(event.data.result.data));
}
for (const [step, { tools }] of model.requests.entries()) {
  console.log(`step ${step + 1}: ${tools.map(({ id }) => id).join(", ")}`);
}
const { equal } = await runtime.replay(run.id);
console.log(`of ${catalogue.length + 1} tools; the replay is ${equal ? "equal" : "different"}`);
await runtime.close();
