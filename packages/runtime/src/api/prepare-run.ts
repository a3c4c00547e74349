import {
  type BusyPolicy,
  invalidRequest,
  isTraceparent,
  type MessageInput,
  type NewEntry,
  type RunRequest,
  readTraceContext,
  type TraceContext,
  textOf,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { findUncounted } from "../budget/uncounted-limits.ts";
import { copyJson } from "../json/copy-json.ts";
import type { Services } from "../loop/services.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import { newEntry } from "../run/new-entry.ts";
import { runIdOfCall } from "../thread/derived-ids.ts";
import { frameText } from "../thread/frame-text.ts";
import { placeId } from "../thread/place-id.ts";
import { assertRequest } from "./read-request.ts";

/** A request that was checked and has its ids. */
export interface PreparedRun {
  readonly tenant: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly entry: NewEntry;
}

/** Checks a request and gives it its ids. Stores nothing. */
export function prepareRun({ env, agents, store }: Services, tenant: string, untrusted: RunRequest): PreparedRun {
  assertRequest(untrusted);
  // A copy, because the client may continue writing to its own. It is JSON, which its interface hides from the compiler.
  const own = copyJson(untrusted as unknown as Json) as unknown as RunRequest;
  agents.assertKnown(own.agent_id);
  const placed = withParent({ ...own, messages: own.messages.map(demoteSystem) });
  const request = withOwnState(agents, withTrace(agents, placed));
  assertMayOverride(agents, request);
  assertCanLimit(agents, request);
  // The id of a run is made last and drawn first: it may say where its thread is.
  const fresh = request.run_id === undefined ? env.ids.uuid() : undefined;
  const thread_id = request.thread_id ?? env.ids.uuid();
  const run_id = request.run_id ?? placeId(store.forTenant(tenant), fresh ?? "", thread_id);
  // Ids inside a run are made from its own id: a client must not take them first.
  const guessed = request.messages.find(({ id }) => id?.startsWith(`${run_id}-`));
  if (guessed !== undefined)
    throw invalidRequest(
      `The message id ${JSON.stringify(guessed.id)} is reserved: it has the form of ids that the run makes itself.`,
    );
  const { busy_policy = request.restore === undefined ? "continue" : "interrupt", dedupe_key, sender_id } = request;
  // A run that replaces an open one goes first: nothing may come between the two.
  const priority = INTERRUPTING.includes(busy_policy) ? Number.MAX_SAFE_INTEGER : (request.priority ?? 0);
  const entry = newEntry({ ...request, thread_id, run_id }, { busy_policy, priority, dedupe_key, sender_id });
  return { tenant, run_id, thread_id, entry };
}

/** A call belongs to one run, and that is the run above. */
function withParent(request: RunRequest): RunRequest {
  const { parent_call_id } = request;
  if (parent_call_id === undefined) return request;
  const parent_run_id = runIdOfCall(parent_call_id);
  if (parent_run_id === undefined)
    throw invalidRequest(`parent_call_id ${JSON.stringify(parent_call_id)} is not the id of a tool call.`);
  if (request.parent_run_id !== undefined && request.parent_run_id !== parent_run_id) {
    throw invalidRequest(`The tool call ${parent_call_id} does not belong to run ${request.parent_run_id}.`);
  }
  return { ...request, parent_run_id };
}

/**
 * A request belongs to the trace of the code that makes it, where a plugin of its agent traces. A trace that the request itself names
 * comes from further away: it counts unless the code belongs to the same one, to whose spans the `tracestate` of the request applies too.
 */
function withTrace(agents: AgentSource, request: RunRequest): RunRequest {
  const { traceparent: given, tracestate, ...rest } = request;
  const active = findActiveTrace(agents, request.agent_id);
  if (given === undefined) return { ...rest, ...active };
  const isSame = active.traceparent !== undefined && traceIdOf(given) === traceIdOf(active.traceparent);
  return isSame ? { ...request, ...active } : request;
}

function findActiveTrace(agents: AgentSource, agentId: string): TraceContext {
  try {
    const plan = agents.plan(agentId);
    if (plan.kind !== "local") return {};
    for (const { traceparent, tracestate } of plan.agent.installed.plugins) {
      const active = traceparent?.();
      if (isTraceparent(active)) return readTraceContext(active, tracestate?.());
    }
  } catch {
    // A trace is never a reason to refuse a run. An agent that cannot be resolved says so where it is needed.
  }
  return {};
}

function traceIdOf(traceparent: string): string {
  return traceparent.slice(0, 35);
}

const INTERRUPTING: readonly BusyPolicy[] = ["interrupt", "rollback"];

/**
 * System text is the operator's alone: what a client sends as such is context, in the user's role and with its source. It is not something
 * the user said, so lists do not show it.
 */
function demoteSystem(message: MessageInput): MessageInput {
  if (message.role !== "system") return message;
  const text = frameText("context", "client", textOf(message));
  const files = typeof message.content === "string" ? [] : message.content.filter(({ type }) => type !== "text");
  const content = files.length === 0 ? text : [{ type: "text" as const, text }, ...files];
  return { ...message, role: "user", content, visibility: "internal" };
}

/** A client chooses only where the operator lets it, and only a model there is. */
function assertMayOverride(agents: AgentSource, { agent_id, overrides }: RunRequest): void {
  if (overrides === undefined) return;
  const { spec } = lookUpEntry(agents.registries, agent_id);
  if (!spec.client_overrides) {
    throw invalidRequest(
      `Agent ${agent_id} does not accept a model, prompt or config from clients. Set clientOverrides on the agent to allow it.`,
    );
  }
  if (overrides.model !== undefined) agents.model(agent_id, overrides.model);
}

/** A limit that would not hold is refused: nobody should rely on it. */
function assertCanLimit(agents: AgentSource, { agent_id, policy }: RunRequest): void {
  const [limit] = findUncounted(agents.registries, agent_id, policy?.budget ?? {});
  if (limit === undefined) return;
  throw invalidRequest(
    `Agent ${agent_id} runs elsewhere, where no tokens, costs and tool calls are counted, so its run cannot have ${limit}. Limit its time (limit_ms), or leave the limit out.`,
  );
}

/** A client writes the application's state, never what belongs to a plugin of the agent. To remove that is to remove nothing. */
function withOwnState(agents: AgentSource, request: RunRequest): RunRequest {
  const { agent_id, state = {}, removed_state = [] } = request;
  if (Object.keys(state).length + removed_state.length === 0) return request;
  const plan = agents.plan(agent_id);
  if (plan.kind !== "local") return request;
  const owned = new Set(plan.agent.installed.states.list().map(({ path: [key] }) => key));
  const written = Object.keys(state).find((key) => owned.has(key));
  if (written !== undefined)
    throw invalidRequest(`The state ${JSON.stringify(written)} belongs to a plugin, so a request cannot set it.`);
  if (removed_state.length === 0) return request;
  return { ...request, removed_state: removed_state.filter((key) => !owned.has(key)) };
}
