// Handoff: a desk passes a conversation on. The agent that takes over continues the same run, and answers the next message too.
import { createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { handoff } from "reprise/plugins/handoff";
import { z } from "zod";

const refund = defineTool({
  id: "refund",
  description: "Pays money back.",
  inputSchema: z.object({ euros: z.number() }),
  needsApproval: true,
  execute: ({ euros }) => `${euros} euros were paid back`,
});

const desk = defineAgent({
  id: "desk",
  instructions: "Find out what the customer needs, then hand the conversation to the right agent.",
  plugins: [handoff({ targets: ["billing"] })],
  model: scriptedModel([
    [{ call: "agent_handoff", arguments: { agent_id: "billing", message: "The customer was charged twice." } }],
  ]),
});

const billing = defineAgent({
  id: "billing",
  description: "Invoices, payments and refunds.",
  tools: [refund],
  plugins: [handoff({ targets: ["desk"] })],
  model: scriptedModel([
    [{ call: "refund", arguments: { euros: 20 } }],
    "You have your 20 euros back.",
    "You are welcome.",
  ]),
});

const runtime = await createRuntime({ agents: [desk, billing], store: memory() });

const run = await runtime.start({ agent: "desk", threadId: "t1", input: "I paid twice!" });
for await (const { type, data } of run.events()) {
  if (type === "agent_handoff") console.log(`${data.from} → ${data.to}`);
}
// The run waits for an approval of a call that the second agent made.
const [open] = await runtime.decisions.list({ threadId: "t1" });
console.log(`${open?.tool_id} ${JSON.stringify(open?.arguments)}?`);
await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
console.log(await run.text);

const record = await run.record();
console.log(`started with ${record.agent_id}, path: ${record.agent_path?.join(" → ")}`);
const { equal } = await runtime.replay(run.id);
console.log("verified by replay:", equal);

// The customer's page still names the desk. The agent that took over answers.
const next = await runtime.start({ agent: "desk", threadId: "t1", input: "Thank you!" });
console.log(await next.text);
await runtime.close();
