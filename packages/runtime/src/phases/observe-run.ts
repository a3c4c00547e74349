import { activeAgentOf, type Observe, type ObservedRun, type Plugin } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { freezeDeep } from "../json/freeze-deep.ts";
import type { AgentView, Host, Outside, RunView, StateAccess } from "../run/ports.ts";

/** The parts of a run that an observer can look at. */
type WatchedRun = RunView & Pick<StateAccess, "document"> & Outside & Host;

const NO_SECTION = (): undefined => undefined;
const NO_OBSERVER = (): void => undefined;

/** Has the observers of the process watch an activation. */
export function observeAsHost(workspace: WatchedRun, observers: Iterable<Observe>): void {
  const starts = [...observers].map((observe) => ({
    name: "the host",
    start: () => observe(describeRun(workspace, NO_SECTION)),
  }));
  if (starts.length > 0) workspace.effects.observe(starts);
}

/** Has the plugins of the agent that observe watch an activation; returns the way to end that before the activation ends. */
export function observeAsPlugins(
  workspace: WatchedRun & Pick<AgentView, "agent">,
  activation: ObservedRun["activation"],
): () => void {
  const { installed, spec } = workspace.agent;
  const starts = installed.plugins.flatMap(({ id, observe, sections }: Plugin) => {
    if (observe === undefined) return [];
    const sectionOf = (key: string): Json | undefined =>
      Object.hasOwn(sections, key) && Object.hasOwn(spec.sections, key) ? freezeDeep(spec.sections[key]) : undefined;
    return [{ name: id, start: () => observe({ ...describeRun(workspace, sectionOf), activation }) }];
  });
  return starts.length === 0 ? NO_OBSERVER : workspace.effects.observe(starts);
}

function describeRun({ run, claim, document }: WatchedRun, section: ObservedRun["section"]): ObservedRun {
  return {
    runId: run.run_id,
    threadId: run.thread_id,
    agentId: activeAgentOf(run),
    tenant: claim.tenant,
    ...(run.parent_run_id !== undefined && { parentRunId: run.parent_run_id }),
    ...(run.parent_thread_id !== undefined && { parentThreadId: run.parent_thread_id }),
    ...(run.parent_call_id !== undefined && { parentCallId: run.parent_call_id }),
    activation: claim.kind,
    ...(run.traceparent !== undefined && { traceparent: run.traceparent }),
    ...(run.tracestate !== undefined && { tracestate: run.tracestate }),
    createdAt: run.created_at,
    state: {
      get: (definition, callId) => freezeDeep(definition.read(document, callId)),
      at: (path) => freezeDeep(getAt(document, path)),
    },
    section,
  };
}
