import {
  isObject,
  type McpAbilities,
  type McpCall,
  type McpEra,
  type McpMessage,
  type McpRunState,
  type McpTool,
  type RpcId,
  type RpcMessage,
} from "@reprise/protocols/mcp";
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
  /** Aborts when the client gives its request up. A client of 2025 over HTTP says so by a notification instead. */
  readonly signal?: AbortSignal;
}

export type McpRequest = Extract<McpMessage, { kind: "request" }>;

export type McpMethod = (caller: McpCaller, request: McpRequest) => Promise<McpReply> | McpReply;

/** What a client gets: a message, or the messages of a run until its call is answered. */
export type McpReply =
  | { readonly kind: "message"; readonly message: RpcMessage; readonly status?: number }
  | McpRunReply
  | McpSubscriptionReply;

/** A stream that stays: the message it begins with, and the one for each change of the list of tools, when the client wants that. */
export interface McpSubscriptionReply {
  readonly kind: "subscription";
  readonly id: RpcId;
  readonly acknowledged: RpcMessage;
  readonly changed?: RpcMessage;
}

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

/** A call as the codec follows it. */
export function callOf(caller: McpCaller, tool: McpTool, { id, params }: McpRequest): McpCall {
  const meta = isObject(params._meta) ? params._meta : {};
  const token = meta.progressToken;
  return {
    id,
    era: caller.era,
    target: targetOf(tool),
    elicits: canAsk(caller),
    ...((typeof token === "string" || typeof token === "number") && { progressToken: token }),
  };
}

/** A text among the params. */
export function textIn(params: JsonObject, key: string): string | undefined {
  const value = params[key];
  return typeof value === "string" ? value : undefined;
}
