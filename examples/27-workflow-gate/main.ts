// An approval gate: a waiting run is stored and holds no process. Without a decision, time decides.
import { createRuntime, memory } from "reprise";
import { defineWorkflow } from "reprise/workflow";

const releaseWithin = (id: string, timeout_ms: number) =>
  defineWorkflow({
    schema_version: "1.0",
    workflow: {
      id,
      inputs: [{ name: "version", type: "string", required: true }],
      nodes: [
        { id: "notes", type: "transform", expression: '"Release " + inputs.version' },
        {
          id: "approve",
          type: "human_gate",
          gate_type: "approval",
          assignee: "ann",
          message_template: "{{ run.outputs.notes }}?",
          timeout_ms,
          timeout_action: "approve",
        },
        {
          id: "decided",
          type: "transform",
          expression: 'run.outputs.approve.decision + " by " + run.outputs.approve.decided_by',
        },
        { id: "out", type: "output" },
      ],
      edges: [
        { from: "notes", to: "approve" },
        { from: "approve", to: "decided" },
        { from: "decided", to: "out" },
      ],
    },
  });

const agents = [releaseWithin("release", 86_400_000), releaseWithin("hotfix", 100)];
const runtime = await createRuntime({ agents, store: memory() });
const asked = await runtime.start({ agent: "release", input: JSON.stringify({ version: "1.0" }) });
console.log((await asked.outcome()).status);
const [gate] = await runtime.decisions.list({ runId: asked.id });
console.log(gate?.ticket?.suspension.action, "-", gate?.ticket?.suspension.message);
await runtime.decisions.decide(gate?.id ?? "", { action: "approve" }, { decidedBy: "ann" });
console.log(await (await runtime.run(asked.id)).text);

const ignored = await runtime.start({ agent: "hotfix", input: JSON.stringify({ version: "1.1" }) });
// Reads on while the run waits: the time of the gate comes.
for await (const { type, data } of ignored.events({ follow: true }))
  if (type === "node_wait") console.log(`${data.node_id} waits; at its time it counts as ${data.timeout_action}d`);
console.log(await (await runtime.run(ignored.id)).text);
await runtime.close();
