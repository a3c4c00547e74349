import type { WorkflowDocument, WorkflowNode } from "@reprise/workflow";

/** How the threads begin whose runs are workflows; the runs are named after them. */
export const FLOW_PREFIX = "flow";

/** The agent that is a workflow. */
export const FLOW_AGENT = "flow";

/** The provider under whose name the agents of the workflow ask the rig's model. */
export const FLOW_PROVIDER = "rig";

/** Also true of the scripts that agents of such a run play. */
export function isOfFlow(name: string): boolean {
  return name.startsWith(FLOW_PREFIX);
}

/** What the name of a script says: the run, its thread and the node whose agent plays it. */
export interface FlowScript {
  readonly run: string;
  readonly thread_id: string;
  readonly node: string;
}

/** `flow0-1-r2/left`, or `flow0-1-r2/item-0` for the node `map[0].item`. */
const SCRIPT = /^((flow\d+-\d+)-r\d+)\/(?:item-(\d+)|(.+))$/;

export function readFlowScript(script: string): FlowScript | undefined {
  const [, run, thread_id, item, node = ""] = SCRIPT.exec(script) ?? [];
  if (run === undefined || thread_id === undefined) return undefined;
  return { run, thread_id, node: item === undefined ? node : `map[${item}].item` };
}

/** How long an expression may take, on a machine that is too busy for the sandbox's own limit. */
export const EXPRESSION_MS = 20_000;

function tool(id: string, name: string): WorkflowNode {
  return { id, type: "tool", tool: name, arguments: { n: 1, pause_ms: 8 } };
}

function agent(id: string, script = id): WorkflowNode {
  return { id, type: "agent", agent_ref: "writer", prompt_template: `script {{ inputs.name }}/${script}` };
}

/** One of everything that may be interrupted. Its input is the name of the run. */
export const FLOW_DOCUMENT: WorkflowDocument = {
  schema_version: "1.0",
  workflow: {
    id: FLOW_AGENT,
    inputs: [{ name: "name", type: "string", required: true }],
    agents: [{ id: "writer", provider: FLOW_PROVIDER, model: "script", tools: ["post", "debit"] }],
    nodes: [
      { id: "fork", type: "parallel", parallel_of: ["left", "right", "nap"] },
      agent("left"),
      agent("right"),
      { id: "nap", type: "wait", duration_ms: 250 },
      { id: "join", type: "merge", strategy: "concat" },
      tool("record", "post"),
      tool("pay", "debit"),
      { id: "gate", type: "human_gate", gate_type: "approval", message_template: "Continue {{ inputs.name }}?" },
      {
        id: "offer",
        type: "human_gate",
        gate_type: "review",
        message_template: "Anything to add?",
        timeout_ms: 400,
        timeout_action: "approve",
      },
      {
        id: "choice",
        type: "condition",
        expression: "run.outputs.gate.decision",
        branches: [{ when: "approved", to: "spend" }],
        default: "spare",
      },
      tool("spend", "debit"),
      tool("spare", "post"),
      { ...tool("insist", "balk"), retry: { max: 3, backoff: "linear", backoff_ms: 40 } },
      {
        id: "map",
        type: "fan_out",
        over: "[0, 1, 2]",
        body: {
          nodes: [agent("item", "item-{{ item }}"), tool("entry", "debit")],
          edges: [{ from: "item", to: "entry" }],
        },
      },
      { id: "out", type: "output" },
    ],
    edges: [
      { from: "left", to: "join" },
      { from: "right", to: "join" },
      { from: "nap", to: "join" },
      { from: "join", to: "record" },
      { from: "join", to: "pay" },
      { from: "join", to: "insist" },
      { from: "record", to: "gate" },
      { from: "pay", to: "gate" },
      { from: "record", to: "offer" },
      { from: "gate", to: "choice" },
      { from: "spend", to: "map" },
      { from: "spare", to: "map" },
      { from: "offer", to: "map" },
      { from: "insist", to: "map" },
      { from: "map", to: "out" },
    ],
  },
};
