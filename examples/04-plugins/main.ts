// Three plugins around one agent: an audit, a policy with configuration, and a reminder. The tools know nothing of them.
import { createRuntime, type Json, memory, textOf } from "reprise";
import { audit, auditPlugin } from "./audit.ts";
import { clerk, model } from "./clerk.ts";
import { reminder } from "./reminder.ts";
import { spendingPolicy } from "./spending-policy.ts";

const sent: Json[] = [];
const rates: Readonly<Record<string, number>> = { EUR: 1, USD: 0.9 };
const plugins = [
  auditPlugin((line) => sent.push(line)),
  spendingPolicy((currency) => Promise.resolve(rates[currency] ?? Number.NaN)),
  reminder,
];
const runtime = await createRuntime({ agents: [clerk(plugins)], store: memory() });

for (const input of ["Pay bill 1.", "Pay bill 2.", "Pay the rest."]) {
  console.log(`\n> ${input}`);
  const run = await runtime.start({ agent: "clerk", threadId: "bills", input });
  for await (const { type, data } of run.events({ follow: true })) {
    if (type === "text_delta") console.log(data.delta);
    if (type !== "tool_call_done") continue;
    const { outcome, result } = data;
    console.log(`[${result.tool_name} ${outcome}] ${result.message ?? JSON.stringify(result.data)}`);
    if (outcome === "suspended") await runtime.decisions.decide(data.id, { action: "approve" });
  }
}

console.log("\nWhat the model was told besides:");
for (const [index, { tools, messages }] of model.requests.entries()) {
  const told = messages
    .slice(-2)
    .map(textOf)
    .find((text) => text.startsWith("<"));
  console.log(
    `${index + 1}. tools: ${tools.map(({ id }) => id).join()} ${told?.replaceAll("\n", " ") ?? ""}`.trimEnd(),
  );
}

console.log("\nThe audit, in the thread and sent:");
for (const entry of audit.read(await runtime.threads.state("bills"))) console.log(JSON.stringify(entry));
await runtime.close();
for (const line of sent) console.log(JSON.stringify(line));
