import type { AgentEvent } from "@reprise/contracts";
import type { WorkflowNode, WorkflowRun } from "../api/types.ts";

type Stored = NonNullable<WorkflowRun["nodes"]>[number];

/** How a node stands, in the words of the studio. */
export type NodeWord = "not started" | "running" | "waiting" | "needs approval" | "done" | "failed" | "skipped";

/** One node of a run, or one of its instances in a body: `files[2].summarise`. */
export interface NodeView {
  readonly id: string;
  /** The node in the document that it is an instance of: `files.summarise`. */
  readonly place: string;
  readonly word: NodeWord;
  readonly stored: Stored | undefined;
  readonly attempts: readonly NodeAttempt[];
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly costMicrocents: number;
  readonly tokens: number;
  /** The run that did the work, when another agent did. */
  readonly childRunId: string | undefined;
  /** What the model of the node said, when an agent of the document did. */
  readonly said: string;
  readonly calls: readonly NodeCall[];
  readonly wait: NodeWait | undefined;
}

export interface NodeAttempt {
  readonly number: number;
  readonly from: number;
  readonly to: number | undefined;
  readonly error: string | undefined;
}

export interface NodeCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly result: string | undefined;
  readonly isGood: boolean | undefined;
}

export interface NodeWait {
  readonly type: string;
  readonly message: string | undefined;
  readonly until: number | undefined;
  readonly decision: string | undefined;
  readonly decidedBy: string | undefined;
}

type Draft = { -readonly [Key in keyof NodeView]: NodeView[Key] } & {
  attempts: NodeAttempt[];
  calls: NodeCall[];
};

/** Where an instance stands in the document: the numbers of items and iterations say which one it is, not what. */
export function placeOf(nodeId: string): string {
  return nodeId.replaceAll(/\[\d+\]/g, "");
}

/** The nodes of a run by their paths: the state says how each stands, the events say when and at what cost. */
export function foldNodes(
  stored: readonly Stored[],
  events: readonly AgentEvent[],
  runId: string,
): ReadonlyMap<string, NodeView> {
  const drafts = new Map<string, Draft>();
  const draft = (id: string): Draft => {
    const known = drafts.get(id) ?? begin(id);
    drafts.set(id, known);
    return known;
  };
  for (const event of events) {
    if (event.run_id === runId && "data" in event && isNodeEvent(event)) apply(draft(event.data.node_id), event);
    const cost = event.type === "cost_recorded" && event.run_id !== runId ? event : undefined;
    if (cost === undefined) continue;
    const of = [...drafts.values()].find(({ childRunId }) => childRunId === cost.run_id);
    if (of === undefined) continue;
    of.costMicrocents += cost.data.cost_microcents;
    of.tokens += (cost.data.usage?.prompt_tokens ?? 0) + (cost.data.usage?.completion_tokens ?? 0);
  }
  // The items of a fan-out are records too, `files[2]#item`; their bodies' nodes tell the same.
  for (const each of stored.filter(({ node_id }) => !node_id.includes("#"))) {
    const own = draft(each.node_id);
    own.stored = each;
    own.word = wordOf(each);
    own.startedAt ??= each.started_at;
  }
  return drafts;
}

function begin(id: string): Draft {
  return {
    id,
    place: placeOf(id),
    word: "not started",
    stored: undefined,
    attempts: [],
    startedAt: undefined,
    endedAt: undefined,
    costMicrocents: 0,
    tokens: 0,
    childRunId: undefined,
    said: "",
    calls: [],
    wait: undefined,
  };
}

type NodeEvent = Extract<AgentEvent, { readonly data: { readonly node_id: string } }>;

function isNodeEvent(event: AgentEvent): event is NodeEvent {
  return event.type.startsWith("node_");
}

function apply(node: Draft, event: NodeEvent): void {
  const time = event.timestamp_ms;
  switch (event.type) {
    case "node_start":
      node.startedAt ??= time;
      node.endedAt = undefined;
      node.word = "running";
      endAttempt(node, time);
      node.attempts.push({ number: event.data.attempt, from: time, to: undefined, error: undefined });
      return;
    case "node_retry":
      endAttempt(node, time, event.data.error.message);
      return;
    case "node_end": {
      const { outcome, error } = event.data;
      node.endedAt = time;
      node.word = outcome === "completed" ? "done" : outcome;
      endAttempt(node, time, error?.message);
      return;
    }
    case "node_wait": {
      const { wait: type, message, expires_at: until, child_run_id } = event.data;
      if (child_run_id !== undefined) node.childRunId = child_run_id;
      node.word = type === "run" ? "running" : type === "gate" ? "needs approval" : "waiting";
      node.wait = { type, message, until, decision: undefined, decidedBy: undefined };
      return;
    }
    case "node_resume":
      node.word = "running";
      if (node.wait !== undefined)
        node.wait = { ...node.wait, decision: event.data.decision, decidedBy: event.data.decided_by };
      return;
    case "node_delta":
      node.said += event.data.delta;
      return;
    case "node_tool_call": {
      const { id, tool_id: tool, arguments: input } = event.data;
      node.calls.push({ id, tool, arguments: input, result: undefined, isGood: undefined });
      return;
    }
    case "node_tool_result": {
      const { id, output_summary: result, success: isGood } = event.data;
      node.calls = node.calls.map((call) => (call.id === id ? { ...call, result, isGood } : call));
      return;
    }
    case "node_cost":
      node.costMicrocents += event.data.cost_microcents;
      node.tokens += event.data.input_tokens + event.data.output_tokens;
      return;
    default:
  }
}

function endAttempt(node: Draft, to: number, error?: string): void {
  const last = node.attempts.at(-1);
  if (last === undefined || last.to !== undefined) return;
  node.attempts[node.attempts.length - 1] = { ...last, to, error };
}

function wordOf({ status, wait }: Stored): NodeWord {
  if (status === "completed") return "done";
  if (status !== "waiting") return status;
  const type = wait?.type;
  if (type === "run") return "running";
  return type === "gate" || type === "budget" || type === "unknown_outcome" ? "needs approval" : "waiting";
}

/** How a node of the document stands, over all its instances. */
export interface PlaceView {
  readonly word: NodeWord;
  readonly instances: readonly NodeView[];
}

/** The most urgent thing first. */
const URGENCY: readonly NodeWord[] = [
  "needs approval",
  "failed",
  "running",
  "waiting",
  "done",
  "skipped",
  "not started",
];

export function foldPlaces(nodes: ReadonlyMap<string, NodeView>): ReadonlyMap<string, PlaceView> {
  const places = new Map<string, NodeView[]>();
  for (const node of nodes.values()) {
    const known = places.get(node.place);
    if (known === undefined) places.set(node.place, [node]);
    else known.push(node);
  }
  return new Map(
    [...places].map(([place, instances]) => {
      const words = new Set(instances.map(({ word }) => word));
      return [place, { instances, word: URGENCY.find((word) => words.has(word)) ?? "not started" }];
    }),
  );
}

/** Every node of a graph with its place in the document, bodies included. */
export function listPlaces(
  nodes: readonly WorkflowNode[],
  above = "",
): readonly { readonly place: string; readonly node: WorkflowNode }[] {
  return nodes.flatMap((node) => {
    const place = `${above}${node.id}`;
    return [{ place, node }, ...listPlaces(node.body?.nodes ?? [], `${place}.`)];
  });
}
