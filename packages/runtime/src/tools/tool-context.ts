import {
  activeAgentOf,
  agentPathOf,
  type Decision,
  type KeptDocuments,
  type MessageInput,
  RepriseError,
  type ToolCallRecord,
  type ToolContext,
} from "@reprise/contracts";
import { isJson, type Json } from "@reprise/state";
import type { Recorded } from "../effects/port.ts";
import { copyJson } from "../json/copy-json.ts";
import { readSection } from "../resolve/read-section.ts";
import { keptDocuments } from "../run/kept-documents.ts";
import type { AgentView, Host, Mailbox, RunView } from "../run/ports.ts";
import { assertQueued } from "../thread/assert-message.ts";
import type { CallState } from "./call-state.ts";
import { collectInherited } from "./inherited-states.ts";
import { offeredTools } from "./offered-tools.ts";
import type { PluginRequest } from "./read-effect.ts";

/** The state, messages, requests and recordings that one execution collects beside its result. They join the run once the call is settled. */
export interface Gathered {
  readonly state: CallState;
  readonly messages: MessageInput[];
  readonly requests: PluginRequest[];
  readonly recordings: Recorded[];
  readonly blobs: string[];
  /** The runs that the execution started. */
  readonly children: string[];
}

export interface ToolContextOptions {
  readonly gathered: Gathered;
  readonly decision: Decision | undefined;
  readonly signal: AbortSignal;
  readonly progress: (value: Json) => void;
}

/** Creates the context that a tool's `execute` receives. */
export function createToolContext(
  workspace: RunView & Pick<AgentView, "agent"> & Pick<Mailbox, "store"> & Host,
  call: ToolCallRecord,
  { gathered, decision, signal, progress }: ToolContextOptions,
): ToolContext {
  const { run, claim, services } = workspace;
  const { state, messages, recordings } = gathered;
  let ids = 0;
  const record = async <Value extends Json>(name: string, ask: () => Promise<Value> | Value): Promise<Value> => {
    const value = await ask();
    if (!isJson(value)) throw new RepriseError("INVALID_REQUEST", `The value recorded as ${name} must be JSON.`);
    if (state.isOpen) recordings.push({ place: call.call_id, name, value: copyJson(value) });
    return value;
  };
  const documents = (kind: string): KeptDocuments => keptDocuments(workspace.store, kind, record);
  return {
    state,
    identity: {
      tenant: claim.tenant,
      ...(run.resource_id !== undefined && { resourceId: run.resource_id }),
      threadId: run.thread_id,
      runId: run.run_id,
      callId: call.call_id,
      agentId: activeAgentOf(run),
      agentPath: agentPathOf(run),
      stepId: call.step_id,
      ...(run.parent_run_id !== undefined && { parentRunId: run.parent_run_id }),
    },
    policy: workspace.policy,
    get tools() {
      return offeredTools(workspace);
    },
    section: (key) => readSection(workspace.agent, workspace.agent.installed.tools.get(call.tool_id)?.plugin, key),
    signal,
    idempotencyKey: call.call_id,
    decision,
    now: services.time.now(),
    id: () => `${call.call_id}-i${ids++}`,
    // A tool that was given up on may still report; its reports are dropped.
    progress: ({ progress: done, total, message }) => {
      // Without what is undefined it is JSON.
      if (state.isOpen) progress(JSON.parse(JSON.stringify({ progress: done, total, message })) as Json);
    },
    queueMessage: (message) => {
      assertQueued(message);
      if (state.isOpen) messages.push(message);
    },
    get runs() {
      const inherited = () => collectInherited(workspace, state, documents);
      const caller = { tenant: claim.tenant, run, call, document: state.base, signal, inherited };
      return services.delegation.runsOf(caller, (child) => {
        gathered.children.push(child.runId);
        if (state.isOpen) progress({ ...child });
      });
    },
    documents,
    record,
  };
}
