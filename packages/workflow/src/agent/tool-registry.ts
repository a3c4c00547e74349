import type { Env, Tool, ToolContext } from "@reprise/contracts";
import { CapabilityMissing, dispatchTool } from "@reprise/runtime";
import type { NodeToolCall, ToolContextOf, ToolRegistry } from "./agent-runner-deps.ts";

export interface ToolRegistryOptions {
  readonly tools: readonly Tool[];
  readonly env: Pick<Env, "clock">;
  /** Adds to the context of every call: the tenant, documents, runs below, … */
  readonly contextOf?: ToolContextOf;
}

/** The tools of a host, as nodes call them. */
export function createToolRegistry({ tools, env, contextOf }: ToolRegistryOptions): ToolRegistry {
  const known = new Map(tools.map((tool) => [tool.descriptor.id, tool]));
  return {
    describe: (id) => known.get(id)?.descriptor,
    async dispatch(call) {
      const { id, tool_id, arguments: given } = call.call;
      const tool = known.get(tool_id);
      if (tool === undefined)
        return { outcome: "incapable", message: `The host has no tool ${JSON.stringify(tool_id)}.` };
      return dispatchTool(tool, {
        arguments: given,
        clock: env.clock,
        signal: call.signal,
        contextFor: (signal) => contextFor(call, signal, contextOf?.(call) ?? {}),
        ...(call.approve !== undefined && { approve: call.approve }),
        announce: () => call.node.announceCall({ id, tool_id, arguments: given }),
      });
    },
  };
}

/**
 * The context of a tool in a node. A node has no thread, so there is no state to change, no run below and no document, unless the host offers
 * them: a tool that reaches for one fails, and says what is missing.
 */
function contextFor(called: NodeToolCall, signal: AbortSignal, offered: Partial<ToolContext>): ToolContext {
  const { call, node, agentId } = called;
  const missing = (what: string): never => {
    throw new CapabilityMissing(
      `Tool ${call.tool_id} needs ${what}, which this host does not offer to workflow nodes.`,
    );
  };
  let ids = 0;
  const context: ToolContext = {
    state: {
      get: () => missing("thread state"),
      at: () => missing("thread state"),
      apply: () => missing("thread state"),
    },
    identity: {
      tenant: "default",
      threadId: node.runId,
      runId: node.runId,
      callId: call.id,
      agentId,
      agentPath: [agentId],
      stepId: node.path,
    },
    policy: {},
    tools: [],
    signal,
    idempotencyKey: call.id,
    decision: undefined,
    now: node.now,
    section: () => undefined,
    id: () => `${call.id}-i${ids++}`,
    get runs() {
      return missing("runs below");
    },
    progress: () => undefined,
    queueMessage: () => missing("a thread"),
    documents: () => missing("documents"),
    record: async (_name, run) => run(),
  };
  return Object.defineProperties(context, Object.getOwnPropertyDescriptors(offered));
}
