import { createInterface } from "node:readline/promises";
import { createRuntime, defineAgent, defineTool } from "reprise";
import { z } from "zod";
import { model } from "./model.ts";

const pay = defineTool({
  id: "pay",
  description: "Sends money to a person.",
  inputSchema: z.object({ to: z.string(), amount: z.number().positive() }),
  needsApproval: true,
  execute({ to, amount }, { idempotencyKey }) {
    console.log(`Paid ${amount} to ${to} (key ${idempotencyKey}).`); // your payment system goes here
    return { paid: amount, to };
  },
});
const clerk = defineAgent({ id: "clerk", instructions: "Pay the bills that you are given.", model, tools: [pay] });

const runtime = await createRuntime({ agents: [clerk] });
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const lines = terminal[Symbol.asyncIterator]();

// What an earlier start left open is asked first. Otherwise a new run begins.
let [open] = await runtime.decisions.list();
const run = open ? await runtime.run(open.run_id) : await runtime.start({ agent: "clerk", input: "Pay Ada 500." });
for (let outcome = await run.outcome(); ; outcome = await run.outcome()) {
  if (outcome.status !== "waiting") {
    console.log(outcome.status === "done" ? outcome.text : outcome);
    break;
  }
  [open] = await runtime.decisions.list({ threadId: run.threadId });
  if (open === undefined) continue;
  console.log(
    `${open.tool_id} ${JSON.stringify(open.arguments)}: approve? (y/n; Ctrl-C, and it waits for the next start)`,
  );
  const { value, done } = await lines.next();
  if (done) break;
  await runtime.decisions.decide(open.id, { action: value.trim() === "y" ? "approve" : "deny" });
}
terminal.close();
await runtime.close();
