// A skill is a folder: instructions that the model loads when a task needs them, files to read, and scripts to run.
import { fileURLToPath } from "node:url";
import { createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { permission } from "reprise/plugins/permission";
import { discoverSkills, skills } from "reprise/plugins/skills";

const folder = fileURLToPath(new URL("skills", import.meta.url));
const { skills: found, problems } = await discoverSkills({ folders: [folder], scan: [] });
console.log("skills:", found.map(({ name }) => name).join(), "· problems:", problems.length);

const listChanges = defineTool({
  id: "list_changes",
  description: "Lists changes.",
  execute: () => ["faster", "skills"],
});
const draft = "Runs start faster. Agents load skills.";
const skill = "release-notes";
const model = scriptedModel([
  [{ call: "skill", arguments: { skill } }],
  [{ call: "list_changes" }, { call: "load_skill_resource", arguments: { skill, path: "references/style.md" } }],
  [{ call: "skill_script", arguments: { skill, script: "scripts/length.sh", args: [draft] } }],
  draft,
]);
const rules = (["skill", "load_skill_resource", "skill_script"] as const).map(
  (tool) => ({ tool, behavior: "allow" }) as const,
);
const writer = defineAgent({
  id: "writer",
  model,
  tools: [listChanges],
  // Every call is asked about, except those of skills, and the tools that an active skill is granted.
  plugins: [permission({ rules }), skills({ folders: [folder], scan: [], scripts: true })],
});
const runtime = await createRuntime({ agents: [writer], store: memory() });
const run = await runtime.start({ agent: "writer", threadId: "t1", input: "What is new?" });
for await (const event of run.events({ follow: true })) {
  if (event.type !== "tool_call_done") continue;
  const { tool_name, data } = event.data.result;
  console.log(`${tool_name}: ${JSON.stringify(data)}`);
}
console.log(await run.text);
console.log("verified:", (await runtime.replay(run.id)).equal);
await runtime.close();
