// Rules decide about every tool call: allow, ask, or deny. A person's answer can be remembered. The same rules work from code and from a
// configuration file.
import { createRuntime, defineAgent, defineTool, memory, type RunHandle, scriptedModel } from "reprise";
import { createInstalledPlugins } from "reprise/plugins";
import { permission, previewPermission } from "reprise/plugins/permission";
import { toolPolicy } from "reprise/plugins/tool-policy";
import { createDefinitions, readConfig } from "reprise/server/config";

const shell = defineTool({
  id: "shell",
  description: "Runs a command.",
  inputSchema: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  },
  execute: ({ command }: { command: string }) => `ran ${command}`,
});
const deploy = defineTool({ id: "deploy_production", description: "Deploys.", execute: () => "deployed" });

const rules = [
  { tool: "shell(npm *)", behavior: "allow" },
  { tool: 'shell(command =~ "\\brm\\b")', behavior: "deny", reason: "Nothing is deleted here." },
  { tool: "shell(git *)", behavior: "ask", reason: "It changes the repository." },
] as const;

console.log("What the rules say:");
for (const command of ["npm test", "sudo rm -rf /", "git push", "ls"]) {
  const { decision, rule } = previewPermission({ rules }, { tool: "shell", arguments: { command } });
  console.log(`  ${command}: ${decision} (${rule ?? "the default"})`);
}

const script = ["npm test", "sudo rm -rf /", "git add .", "git push"].map((command) => [
  { call: "shell", arguments: { command } },
]);
const model = scriptedModel([...script, "Built and pushed."]);
const agent = defineAgent({
  id: "builder",
  model,
  tools: [shell, deploy],
  plugins: [toolPolicy({ excludedTools: ["deploy_*"] }), permission({ rules })],
});
const runtime = await createRuntime({ agents: [agent], store: memory() });
const run = await runtime.start({ agent: "builder", threadId: "t1", input: "Build and push." });

console.log("\nThe run:");
const waiting = await run.outcome();
if (waiting.status === "waiting") {
  for (const { id, arguments: given, ticket } of waiting.open) {
    console.log(`  ${ticket?.suspension.message} ${JSON.stringify(given)}`);
    // Covers what the rule asks about, `shell(git *)`, on this thread: `git push` is not asked about again.
    await runtime.decisions.decide(id, { action: "approve", remember: "thread" });
  }
}
const done = await run.outcome();
console.log(`  ${done.status === "done" ? done.text : done.status}`);
console.log(`  The model knows: ${model.requests[0]?.tools.map(({ id }) => id).join(", ")}`);

console.log("\nWhat happened:");
await show(run);
await runtime.close();

console.log("\nFrom a configuration:");
const config = readConfig({
  providers: { scripted: {} },
  models: { builder: { provider: "scripted", model: "builder" } },
  agents: [
    {
      id: "builder",
      model: "builder",
      plugin_ids: ["tool_policy", "permission"],
      sections: { tool_policy: { excluded_tools: ["deploy_*"] }, permission: { default: "ask", rules: [...rules] } },
    },
  ],
});
const definitions = createDefinitions(config, {
  tools: [shell, deploy],
  plugins: createInstalledPlugins(),
  createProvider: (id) => ({ id, model: () => scriptedModel(["Nothing to do."]) }),
  variable: (name) => process.env[name],
});
const configured = await createRuntime({ ...definitions, store: memory() });
for (const command of ["npm test", "git push"]) {
  const call = { agent: "builder", tool: "shell", arguments: { command } };
  console.log(`  ${command}: ${(await configured.previewCall(call)).decision}`);
}
await configured.close();

async function show({ events }: RunHandle): Promise<void> {
  for await (const { type, data } of events()) {
    if (type !== "permission_evaluated") continue;
    const why = data.rule === undefined ? `by ${data.source}` : `by ${data.rule} (${data.scope})`;
    console.log(`  ${data.decision} ${why}`);
  }
}
