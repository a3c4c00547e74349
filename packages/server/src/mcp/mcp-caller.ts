import type { McpAbilities, McpCall, McpEra, McpRunState, McpTool, RpcMessage } from "@reprise/protocols/mcp";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import type { McpServing } from "../host/server-host.ts";
import { hasScope, type Principal } from "../security/principal.ts";

/** The client behind a message, whatever transport it came by. */
export interface McpCaller {
  readonly runtime: TenantRuntime;
  readonly principal: Principal;
  readonly serving: McpServing;
  readonly era: McpEra;
  readonly abilities: McpAbilities;
  /** The session of a client of 2025. The ids of its requests are its own. */
  readonly session?: string;
}

/** What a client gets: a message, or the messages of a run until its call is answered. */
export type McpReply =
  | { readonly kind: "message"; readonly message: RpcMessage; readonly status?: number }
  | McpRunReply
  /** A subscription: acknowledged, and silent. Nothing that the server has changes without a new list. */
  | { readonly kind: "subscription"; readonly acknowledged: RpcMessage };

export interface McpRunReply {
  readonly kind: "run";
  readonly run: RunHandle;
  readonly call: McpCall;
  readonly tool: McpTool;
  /** Where the call takes up a run that was there before. */
  readonly from?: { readonly state: McpRunState; readonly cursor?: string };
}

/** Whether questions of runs go to this client: it can show them, and its credential may answer them and read what comes of it. */
export function canAsk({ abilities, principal }: McpCaller): boolean {
  return abilities.elicits && hasScope(principal, "decide") && hasScope(principal, "read");
}

/** A tool that agents and clients of this server know by its name, in the order of the names. */
export function listMcpTools({ runtime, serving }: Pick<McpCaller, "runtime" | "serving">): readonly McpTool[] {
  const agents = runtime.agents();
  const tools = new Map<string, McpTool>();
  for (const { id, name, description, output_schema: schema } of agents) {
    if (serving.agents !== undefined && !serving.agents.includes(id)) continue;
    // A client wants an object; any other answer is text.
    const outputSchema = schema?.type === "object" ? schema : undefined;
    const about = description === "" ? `Has the agent ${name} work.` : description;
    tools.set(id, {
      kind: "agent",
      name: id,
      agentId: id,
      title: name,
      description: about,
      ...(outputSchema !== undefined && { outputSchema }),
    });
  }
  for (const { agent: agentId, tool } of serving.tools ?? []) {
    const descriptor = agents.find(({ id }) => id === agentId)?.tools.find(({ id }) => id === tool);
    if (descriptor !== undefined && !tools.has(tool))
      tools.set(tool, { kind: "tool", name: tool, agentId, descriptor });
  }
  return [...tools.values()].sort(({ name: left }, { name: right }) => (left < right ? -1 : 1));
}

/** What the codec has to know of a tool to tell its result. */
export function targetOf(tool: McpTool): McpCall["target"] {
  return { kind: tool.kind, hasOutput: tool.kind === "agent" && tool.outputSchema !== undefined };
}

/** A text among the params. */
export function textIn(params: JsonObject, key: string): string | undefined {
  const value = params[key];
  return typeof value === "string" ? value : undefined;
}
