import { describeThrown, type ModelRequest, type ToolDescriptor } from "@reprise/contracts";
import { type ChainEgress, type ChainEntry, DEFAULT_TOOL_LOOP_LIMITS, ModelChain, worstCaseOf } from "@reprise/runtime";
import type { AgentNode, WorkflowAgent } from "../document/workflow-document.ts";
import type { NodeExecContext, NodeFailure } from "../node/node-executor.ts";
import type { AgentLimits, AgentRunnerDeps } from "./agent-runner-deps.ts";
import { EgressRefused, nodeFailure } from "./failure-ladder.ts";

// The parts of a request to an agent that nodes and sessions share.

export const DEFAULT_AGENT_LIMITS: AgentLimits = {
  ...DEFAULT_TOOL_LOOP_LIMITS,
  modelIdleTimeoutMs: 120_000,
  streamRetries: 0,
};

/** Requests after a model ran out of room. With an authored limit the answer ends there. */
const TRUNCATION_RETRIES = 3;

/** What a node may say differently from its agent. A session says nothing. */
export type AgentOverrides = Partial<
  Pick<AgentNode, "id" | "system_prompt_append" | "temperature" | "max_tokens" | "tools">
>;

export interface ChainOptions {
  readonly key: string;
  readonly entries: readonly ChainEntry[];
  readonly options: ModelRequest["options"];
  /** Names the run and the node to `preEgress`. */
  readonly asked: Pick<NodeExecContext, "runId" | "path">;
  readonly gate?: NodeExecContext["gate"];
}

/** The models that answer one conversation. */
export function openChain(deps: ChainDeps, { key, entries, options, asked, gate }: ChainOptions): ModelChain {
  const limits = { ...DEFAULT_AGENT_LIMITS, ...deps.limits };
  return new ModelChain({
    key,
    entries,
    env: deps.env,
    preEgress: (egress) => askGate(deps, asked, egress),
    ...(gate !== undefined && { gate }),
    idleTimeoutMs: limits.modelIdleTimeoutMs,
    recovery: {
      interruptions: limits.streamRetries,
      truncations: options.max_tokens === undefined ? TRUNCATION_RETRIES : 0,
    },
  });
}

type ChainDeps = Pick<AgentRunnerDeps, "env" | "limits" | "preEgress">;

/** Authored text only, as it is written. A `{{ … }}` in it stays what it is: text from outside never reaches the system role. */
export function systemOf({ system_prompt }: WorkflowAgent, { system_prompt_append }: AgentOverrides = {}): string {
  return [system_prompt, system_prompt_append].filter((text) => text !== undefined && text !== "").join("\n\n");
}

/** A node may leave tools of its agent out and never add one. */
export function grantTools(
  { registry }: Pick<AgentRunnerDeps, "registry">,
  agent: WorkflowAgent,
  node: AgentOverrides = {},
):
  | { readonly ok: true; readonly tools: readonly ToolDescriptor[] }
  | { readonly ok: false; readonly error: NodeFailure } {
  const own = agent.tools ?? [];
  const wanted = node.tools ?? own;
  const added = wanted.filter((id) => !own.includes(id));
  if (added.length > 0) {
    const message = `Node ${node.id} may only narrow the tools of agent ${agent.id}. It adds ${added.join(", ")}.`;
    return { ok: false, error: nodeFailure("validation", message) };
  }
  const tools: ToolDescriptor[] = [];
  for (const id of new Set(wanted)) {
    const tool = registry.describe(id);
    if (tool === undefined) {
      return { ok: false, error: nodeFailure("tool_unavailable", `The host has no tool ${JSON.stringify(id)}.`) };
    }
    tools.push(tool);
  }
  return { ok: true, tools };
}

export function requestOptions(agent: WorkflowAgent, node: AgentOverrides = {}): ModelRequest["options"] {
  const temperature = node.temperature ?? agent.temperature;
  const max_tokens = node.max_tokens ?? agent.max_tokens;
  const { reasoning_effort: effort } = agent;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(max_tokens !== undefined && { max_tokens }),
    ...(effort !== undefined && { reasoning_effort: effort === "off" ? "none" : effort }),
  };
}

/** Asks the hook about one attempt. Its answer passes the chain as a refusal. */
async function askGate(
  { preEgress }: ChainDeps,
  { runId, path }: ChainOptions["asked"],
  { provider, model, spec, request }: ChainEgress,
): Promise<void> {
  if (preEgress === undefined) return;
  const { most: worstCase } = worstCaseOf(request, spec);
  const failure = await preEgress({ runId, path, provider, model, worstCase });
  if (failure !== undefined) throw new EgressRefused(failure);
}

/** Where the whole of a long result is. The call has had its effect: when it cannot be stored, the preview has to do. */
export async function spill(
  { blobs, env }: Pick<AgentRunnerDeps, "blobs" | "env">,
  text: string,
): Promise<string | undefined> {
  try {
    return (await blobs?.put(new TextEncoder().encode(text), { media_type: "text/plain" }))?.ref;
  } catch (error) {
    env.log("warn", "a long tool result was not stored", { problem: describeThrown(error) });
    return undefined;
  }
}
