import {
  type AgentSummary,
  activeAgentOf,
  type ChildRun,
  type ChildStatus,
  invalidRequest,
  type NewChildRun,
  notFound,
  type RunLimitsPolicy,
  type RunPolicy,
  type RunRecord,
  type RunRequest,
  resumesByItself,
  runNotActive,
  type ToolResult,
} from "@reprise/contracts";
import type { Dispatcher } from "../dispatcher/dispatcher.ts";
import { ClaimLost } from "../effects/outcomes.ts";
import { copyJson } from "../json/copy-json.ts";
import { findToldEnd } from "../loop/run-family.ts";
import type { Services } from "../loop/services.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import { reachableAgents } from "../resolve/reachable-agents.ts";
import type { DelegatingCall, Delegation, StartedRun } from "../run/ports.ts";
import {
  backgroundCallId,
  childRunId,
  childrenIn,
  depthBelow,
  familyOf,
  isInCancelledTree,
  loadTree,
  noteChild,
  requestStop,
  rootOf,
} from "../run/run-tree.ts";
import { placeId } from "../thread/place-id.ts";
import { byHand } from "./call-tool.ts";
import { stopRun } from "./cancel-run.ts";
import { forkContext } from "./fork-context.ts";
import { createLimitReader } from "./limits-of-child.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { describeOutcome } from "./run-outcome.ts";
import { sendMessage } from "./send-message.ts";
import { submitRun } from "./submit-run.ts";

/** A run below as its caller asks for it, with the limits that will be stored. */
interface LimitedChild extends Omit<NewChildRun, "limits" | "standingLimits"> {
  readonly limits?: RunLimitsPolicy;
}

/** Starts runs below the calls of other runs, by the one way every run starts. */
export function createDelegation(services: Services, dispatcher: Dispatcher): Delegation {
  const limitsOf = createLimitReader(services);
  const find: Delegation["find"] = async (tenant, run, runId) => {
    const store = services.store.forTenant(tenant);
    const record = await store.loadRun(runId);
    if (record !== undefined) return isBelow(run, record) ? describeRun(services, tenant, record) : undefined;
    const { items } = await store.listEntries({ run_id: runId });
    const queued = items.find(({ kind }) => kind === "run");
    if (queued?.request === undefined || !isBelow(run, queued.request)) return undefined;
    const { thread_id: threadId, status } = queued;
    const { agent_id: agentId, policy } = queued.request;
    const known = { runId, threadId, agentId, ...toolOf(policy) };
    if (status === "queued" || status === "claimed") return { ...known, status: "running" };
    if (status !== "dead_letter") return { ...known, status: "stopped" };
    return {
      ...known,
      status: "failed",
      error: `The run could not be started: ${queued.last_error ?? "its owners were lost"}`,
    };
  };
  return {
    find,

    async heed(tenant, run) {
      const store = services.store.forTenant(tenant);
      const isHeeded = run.heeds !== undefined && (await isInCancelledTree(store, run.heeds));
      if (!isHeeded && !(await isInCancelledTree(store, run))) return false;
      await requestStop(store, run.run_id, "A run above it was cancelled.");
      return true;
    },

    runsOf(caller, started) {
      const { tenant, run, call, signal } = caller;
      const store = services.store.forTenant(tenant);
      const load = (runId: string): Promise<ChildRun | undefined> => find(tenant, run, runId);
      const stop = (runId: string): Promise<void> => stopRun(services, tenant, runId, `Run ${run.run_id} stopped it.`);
      /** The earlier run of the same id, or a new one. The tree notes it before it is accepted, so that no crash can hide it. */
      const begin = async (
        { runId, background, limits }: Pick<StartedRun, "runId" | "background" | "limits">,
        prepare: () => Promise<PreparedRun> | PreparedRun,
      ): Promise<ChildRun> => {
        const tell = ({ threadId, agentId }: Pick<ChildRun, "threadId" | "agentId">): void =>
          started({
            runId,
            threadId,
            agentId,
            depth: depthBelow(run),
            background,
            ...(limits !== undefined && { limits }),
          });
        // Only a run that the tree knows can have been started before.
        const seen = await loadTree(store, run);
        const earlier = childrenIn(seen, run).includes(runId) ? await load(runId) : undefined;
        if (earlier !== undefined) {
          tell(earlier);
          return earlier;
        }
        const prepared = await prepare();
        const tree = { limits: services.limits.delegation, now: services.time.now(), seen };
        const isFirst = await noteChild(store, run, runId, tree);
        if (isFirst) await assertUncancelled();
        await submitRun(services, dispatcher, prepared, { above: run });
        const { agent_id: agentId, policy } = prepared.entry.request;
        const threadId = prepared.thread_id;
        tell({ threadId, agentId });
        // A run that was cancelled meanwhile has looked for runs below it already, and did not find this one.
        // One whose owner lost it continues: its next owner finds the run.
        if (signal.aborted && !(signal.reason instanceof ClaimLost)) await stop(runId);
        signal.throwIfAborted();
        return { runId, threadId, agentId, ...toolOf(policy), status: "running" };
      };
      const agents = (): readonly AgentSummary[] => {
        const { registries } = services.agents;
        return reachableAgents(registries, lookUpEntry(registries, activeAgentOf(run)).spec, run.policy ?? {});
      };
      return {
        agents,
        load,

        start({ limits: asked, standingLimits, ...child }) {
          const runId = beside(childRunId(services.env, tenant, call.call_id, child.key ?? ""));
          const limits = limitsOf(child.agentId, asked, standingLimits);
          return begin({ runId, background: child.background === true, ...limits }, async () => {
            assertReachable(run, child.agentId, agents());
            if (child.threadId !== undefined) await assertContinues(child.threadId);
            return prepareBelow({ ...child, ...limits }, runId);
          });
        },

        startCall({ toolId, arguments: input, key = "" }) {
          const runId = beside(backgroundCallId(services.env, tenant, call.call_id, key));
          return begin({ runId, background: true }, async () => {
            const child = {
              agentId: activeAgentOf(run),
              threadId: `task:${runId}`,
              prompt: `Call ${toolId}.`,
              background: true,
            };
            const prepared = await prepareBelow(child, runId);
            // Of several that one call starts, it counts for the first.
            const isCounted = toolId === call.tool_id && key === "";
            return byHand(prepared, {
              tool_id: toolId,
              arguments: copyJson(input),
              ...(isCounted && { is_counted: true }),
            });
          });
        },

        send: (message) => sendMessage({ store, env: services.env }, caller, message),

        async cancel(runId) {
          const child = await load(runId);
          if (child === undefined || isOver(child)) return [];
          const record = await store.loadRun(runId);
          const family = record === undefined ? [runId] : await familyOf(store, record);
          const open = await Promise.all(family.map(async (id) => (await store.loadRun(id))?.status !== "done"));
          await stop(runId);
          return family.filter((_, index) => open[index]);
        },
      };

      /** A tree is in one place: the thread of a run below has the run's id in its own. */
      function beside(runId: string): string {
        return placeId(store, runId, run.thread_id);
      }

      /** A cancellation of this run that came before there was a tree is noted nowhere else. */
      async function assertUncancelled(): Promise<void> {
        const { cancel } = await store.readInbox(run.thread_id, run.run_id);
        if (cancel !== undefined) throw runNotActive(run.run_id, "cancelled");
      }

      async function prepareBelow(child: LimitedChild, runId: string): Promise<PreparedRun> {
        const inherited = await caller.inherited();
        const request = { ...requestFor(caller, child, runId), ...(await contextOf(child)) };
        return prepareRun(services, tenant, inherited.length === 0 ? request : { ...request, inherited });
      }

      /** What the run gets beside its prompt, when it gets the context of its caller. */
      async function contextOf(child: LimitedChild): Promise<Partial<RunRequest>> {
        if (child.forkContext !== true) return {};
        if (child.threadId !== undefined)
          throw invalidRequest("A run that continues a thread cannot get the context of its caller as well.");
        const { messages, ...rest } = await forkContext(store, services.agents, caller, child.agentId);
        return { ...rest, messages: [...messages, promptOf(child)] };
      }

      async function assertContinues(threadId: string): Promise<void> {
        const [last] = (await store.listRuns({ thread_id: threadId, limit: 1 })).items;
        if (last !== undefined && isBelow(run, last)) return;
        throw invalidRequest(`Thread ${threadId} has no run that thread ${run.thread_id} started.`);
      }
    },
  };
}

function assertReachable(run: RunRecord, agentId: string, reachable: readonly AgentSummary[]): void {
  if (reachable.some(({ id }) => id === agentId)) return;
  const known = reachable.map(({ id }) => id);
  throw notFound("AGENT_NOT_FOUND", `agent that may work for ${activeAgentOf(run)} called`, agentId, known);
}

/** Only the thread that started a run may look after it. */
function isBelow({ thread_id }: RunRecord, { parent_thread_id }: Pick<RunRecord, "parent_thread_id">): boolean {
  return parent_thread_id === thread_id;
}

function promptOf({ prompt }: LimitedChild): RunRequest["messages"][number] {
  return { role: "user", content: prompt };
}

function requestFor({ run, call }: DelegatingCall, child: LimitedChild, runId: string): RunRequest {
  const { run_id, thread_id, resource_id, policy, traceparent, tracestate } = run;
  return {
    agent_id: child.agentId,
    thread_id: child.threadId ?? `sub-agent-${runId}`,
    run_id: runId,
    parent_run_id: run_id,
    parent_thread_id: thread_id,
    parent_call_id: call.call_id,
    ...(child.background === true && { background: true }),
    ...(resource_id !== undefined && { resource_id }),
    origin: "subagent",
    sender_id: `run:${run_id}`,
    messages: [promptOf(child)],
    busy_policy: "enqueue",
    ...policyBelow(policy, child),
    depth: depthBelow(run),
    root_run_id: rootOf(run),
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  };
}

function toolOf({ by_hand }: RunPolicy = {}): Pick<ChildRun, "toolId"> {
  return by_hand === undefined ? {} : { toolId: by_hand.tool_id };
}

function isOver({ status }: ChildRun): boolean {
  return status !== "running" && status !== "waiting";
}

/** The lists of the run above hold below it too. Its budget is shared by other means; a part of it can be set aside. */
function policyBelow(above: RunPolicy | undefined, { limits }: LimitedChild): Pick<RunRequest, "policy"> {
  if (above === undefined && limits === undefined) return {};
  return { policy: { ...listsOf(above ?? {}), ...(limits !== undefined && { budget: limits }) } };
}

function listsOf({ budget: _budget, by_hand: _call, ...lists }: RunPolicy): RunPolicy {
  return lists;
}

async function describeRun(services: Services, tenant: string, record: RunRecord): Promise<ChildRun> {
  const { run_id: runId, thread_id: threadId, agent_id: agentId } = record;
  const known = { runId, threadId, agentId, ...toolOf(record.policy), attempt: record.recoveries + 1 };
  const isDone = record.status === "done";
  const told = isDone ? undefined : await findToldEnd(services.store.forTenant(tenant), record);
  if (!isDone && told === undefined) return { ...known, status: openStatus(record) };
  const result = record.policy?.by_hand === undefined ? undefined : await findResult(services, tenant, record);
  if (result?.status === "error") return { ...known, status: "failed", error: result.message ?? "The call failed." };
  if (result !== undefined) return { ...known, status: "completed", result: result.data };
  if (told !== undefined) {
    const { status, output, error } = told;
    return { ...known, status, ...(output !== undefined && { output }), ...(error !== undefined && { error }) };
  }
  const outcome = await describeOutcome(services, tenant, record);
  switch (outcome.status) {
    case "done":
      return { ...known, status: "completed", output: outcome.text };
    case "failed":
      return { ...known, status: "failed", error: outcome.error };
    case "cancelled":
      return { ...known, status: "stopped" };
    case "waiting":
      return { ...known, status: "waiting" };
    default:
      return outcome satisfies never;
  }
}

/** The result of the one call of a run; none when the run ended before the call had one. */
async function findResult(services: Services, tenant: string, run: RunRecord): Promise<ToolResult | undefined> {
  if (run.termination_code === "cancelled") return undefined;
  const segments = await services.store.forTenant(tenant).readEvents(run.run_id, 0);
  const events = segments.flatMap((segment) => segment.events);
  const done = events.findLast((event) => event.type === "tool_call_done" && event.data.outcome !== "suspended");
  return done?.type === "tool_call_done" ? done.data.result : undefined;
}

function openStatus(record: RunRecord): ChildStatus {
  return record.status === "waiting" && !resumesByItself(record) ? "waiting" : "running";
}
