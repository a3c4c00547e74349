import {
  activeAgentOf,
  type ContentPart,
  invalidRequest,
  type Message,
  type MessageInput,
  type RunRequest,
  type TenantStore,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { AgentSource } from "../resolve/agents.ts";
import type { ResolvedRunPlan } from "../resolve/resolved-agent.ts";
import type { DelegatingCall } from "../run/ports.ts";
import { inheritedPlugins } from "../thread/run-state.ts";

/** How much of a conversation a run below gets at most: the newest messages, from one of the user on. */
const MAX_MESSAGES = 200;
const MAX_BYTES = 262_144;

/** What a run below begins with when it gets the context of its caller. */
export type ForkedContext = Pick<RunRequest, "messages"> & Pick<RunRequest, "state">;

/**
 * Copies the messages and the application's state of the caller, for a run below. Calls without a result are left out, the one that starts
 * the run among them, and so is the reasoning, which belongs to the caller's model. Only an agent that runs here has a thread to copy to.
 */
export async function forkContext(
  store: TenantStore,
  agents: AgentSource,
  { run, document }: DelegatingCall,
  agentId: string,
): Promise<ForkedContext> {
  const plan = agents.plan(agentId);
  if (plan.kind !== "local")
    throw invalidRequest(`Agent ${agentId} does not run here, so it cannot get the context of its caller.`);
  const { messages } = await store.listMessages(run.thread_id, {
    order: "desc",
    limit: MAX_MESSAGES,
    visibility: "any",
  });
  const owned = [plan, agents.plan(activeAgentOf(run))].flatMap(pluginKeys);
  const above = inheritedPlugins(document ?? null).map(({ state }) => state.split(".")[0]);
  const state = applicationState(document ?? null, new Set([...owned, ...above]));
  return { messages: copyMessages(messages.toReversed()), ...(state !== undefined && { state }) };
}

function pluginKeys(plan: ResolvedRunPlan): readonly unknown[] {
  return plan.kind === "local" ? plan.agent.installed.states.list().map(({ path }) => path[0]) : [];
}

/** The keys that a request may set: neither the runtime's nor those of plugins, of the caller's agent or of the one below. */
function applicationState(document: Json, owned: ReadonlySet<unknown>): RunRequest["state"] {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return undefined;
  const kept = Object.entries(document).filter(([key]) => !key.startsWith("__") && !owned.has(key));
  const state = Object.fromEntries(kept) as Readonly<Record<string, Json>>;
  const bytes = JSON.stringify(state).length;
  if (bytes > MAX_BYTES)
    throw invalidRequest(`The state of the thread has ${bytes} bytes; a run below can get ${MAX_BYTES}.`);
  return kept.length === 0 ? undefined : state;
}

function copyMessages(messages: readonly Message[]): readonly MessageInput[] {
  const answered = new Set(messages.flatMap(({ tool_call_id }) => tool_call_id ?? []));
  const asked = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
  const copies = messages.flatMap((message): readonly MessageInput[] => {
    const { role, content, tool_calls = [], tool_call_id, visibility, metadata } = message;
    if (role === "system" || (role === "tool" && !asked.has(tool_call_id ?? ""))) return [];
    const calls = tool_calls.filter(({ id }) => answered.has(id));
    const said = withoutReasoning(content);
    if (role === "assistant" && calls.length === 0 && said.length === 0) return [];
    return [
      {
        role,
        content: said,
        ...(calls.length > 0 && { tool_calls: calls }),
        ...(tool_call_id !== undefined && { tool_call_id }),
        ...(visibility !== undefined && { visibility }),
        metadata: { ...metadata, forked: true },
      },
    ];
  });
  return withinBytes(copies);
}

function withoutReasoning(content: Message["content"]): string | readonly ContentPart[] {
  return typeof content === "string" ? content : content.filter(({ type }) => type !== "reasoning");
}

/** The newest that fit. They begin with what a user said, so that no result stands without its call. */
function withinBytes(messages: readonly MessageInput[]): readonly MessageInput[] {
  let bytes = 0;
  const first = messages.findLastIndex((message) => {
    bytes += JSON.stringify(message).length;
    return bytes > MAX_BYTES;
  });
  const fitting = messages.slice(first + 1);
  const begin = fitting.findIndex(({ role }) => role === "user");
  return begin < 0 ? [] : fitting.slice(begin);
}
