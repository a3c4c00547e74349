import {
  activeAgentOf,
  type BlobInfo,
  type Decision,
  describeThrown,
  isToolEffect,
  isToolSuspension,
  RepriseError,
  type Tool,
  type ToolCallRecord,
  ToolError,
  type ToolResult,
  toolFailure,
  toolPending,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { TimeIsUp, withTimeout } from "../effects/with-timeout.ts";
import { readResult } from "../json/read-result.ts";
import { sayKnown } from "../resolve/resolve-errors.ts";
import type { AgentView, Host, Mailbox, RunView } from "../run/ports.ts";
import { ticketFor } from "../thread/ask-about.ts";
import { CallState } from "./call-state.ts";
import { type AskedHandoff, InvalidEffect, readEffect } from "./read-effect.ts";
import { type FailingRun, reportToolError } from "./report-tool-error.ts";
import { createToolContext, type Gathered } from "./tool-context.ts";

/** A question in a tool's result is the tool's own, whatever source it names: a plugin takes an answer only to its own questions. */
function signed(result: ToolResult): ToolResult {
  if (result.suspension === undefined) return result;
  return { ...result, suspension: { ...result.suspension, asked_by: `tool:${result.tool_name}` } };
}

const PREVIEW_CHARACTERS = 2_000;

/** Keeps a large output out of the thread: the model gets a preview, the whole goes to the blob store. */
async function boundOutput(
  workspace: Pick<RunView, "claim"> & Host,
  result: ToolResult,
  { blobs: refs }: Gathered,
): Promise<ToolResult> {
  const { blobs, limits } = workspace.services;
  const text = JSON.stringify(result.data);
  // A character is at most three bytes of UTF-8, so short texts need not be measured.
  if (text.length * 3 <= limits.maxOutputBytes) return result;
  const content = new TextEncoder().encode(text);
  if (content.byteLength <= limits.maxOutputBytes) return result;
  const ref = await keep(() => blobs.put(workspace.claim.tenant, content, { media_type: "application/json" }));
  if (ref !== undefined) refs.push(ref);
  const preview = text.slice(0, PREVIEW_CHARACTERS).toWellFormed();
  return {
    ...result,
    data: { truncated: true, bytes: content.byteLength, preview, ...(ref !== undefined && { ref }) },
  };
}

/** The call has had its effect. When its tenant has no space left, the preview has to do: a failure would have it made again. */
async function keep(put: () => Promise<BlobInfo>): Promise<string | undefined> {
  try {
    return (await put()).ref;
  } catch (error) {
    if (RepriseError.is(error, "BLOB_QUOTA_EXCEEDED")) return undefined;
    throw error;
  }
}

/** The parts of a run that a tool works with. */
export type ExecutingRun = RunView & Pick<AgentView, "agent"> & Pick<Mailbox, "store"> & Host & FailingRun;

/** The result of an execution, before any of it is part of the thread. */
export interface ExecutedCall extends Gathered {
  readonly result: ToolResult;
  /** Why the tool wants the run to end after this round. */
  readonly terminate?: string;
  /** The agent that the tool wants the run to go to after this round. */
  readonly handoff?: AskedHandoff;
}

export interface Execution {
  readonly tool: Tool;
  readonly call: ToolCallRecord;
  /** The arguments as the tool's schema left them. */
  readonly input: unknown;
  /** The state the tool sees. */
  readonly document: Json;
  readonly decision?: Decision | undefined;
  /** Aborted when the tool is to stop. */
  readonly signal: AbortSignal;
}

/** Runs a tool on checked input. Whatever the tool does, a result comes back; throws only when the signal is aborted. */
export async function executeCall(
  workspace: ExecutingRun,
  execution: Execution,
  progress: (value: Json) => void,
): Promise<ExecutedCall> {
  const { tool, call, input, document, decision, signal } = execution;
  const { id, timeout_ms } = tool.descriptor;
  const { env } = workspace.services;
  const gathered = gather(document, call);
  try {
    const returned = await withTimeout(env.clock, signal, timeout_ms, (own) =>
      tool.execute(input, createToolContext(workspace, call, { gathered, decision, signal: own, progress })),
    );
    const executed = env.point("tool:executed");
    if (executed !== undefined) await executed;
    const { terminate, handoff } = isToolEffect(returned)
      ? readEffect(call, returned, gathered, workspace.agent.installed)
      : NO_WISHES;
    if (handoff !== undefined) assertReachable(workspace, execution, handoff);
    const answer = isToolEffect(returned) ? returned.result : returned;
    if (ToolError.is(answer)) throw answer;
    const result = isToolSuspension(answer)
      ? toolPending(id, ticketFor(call, answer.request, { askedBy: `tool:${id}`, mode: "pass_decision_to_tool" }))
      : await boundOutput(workspace, signed(readResult(id, answer)), gathered);
    return {
      ...gathered,
      result,
      ...(terminate !== undefined && { terminate }),
      ...(handoff !== undefined && { handoff }),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!ToolError.is(error) && !(error instanceof UnknownAgent)) reportToolError(workspace, call, error);
    // What a failed tool did to the state is as if it had not happened.
    const { recordings, children } = gathered;
    return { ...gather(document, call), recordings, children, result: failure(id, error) };
  } finally {
    gathered.state.close();
  }
}

const NO_WISHES: ReturnType<typeof readEffect> = {};

/** A run goes only to agents that may work for the active one. */
function assertReachable(
  { run, claim, services }: ExecutingRun,
  { call, signal }: Execution,
  { agent_id: to }: AskedHandoff,
): void {
  const caller = { tenant: claim.tenant, run, call, signal, inherited: async () => [] };
  const known = services.delegation
    .runsOf(caller, () => undefined)
    .agents()
    .map(({ id }) => id);
  if (to === activeAgentOf(run) || known.includes(to)) return;
  throw new UnknownAgent(`The run cannot be handed to agent ${JSON.stringify(to)}.${sayKnown(to, known)}`);
}

/** A tool hands the run to an agent that is not there, or not allowed. */
class UnknownAgent extends Error {
  override readonly name = "UnknownAgent";
}

function gather(document: Json, { call_id, tool_id }: ToolCallRecord): Gathered {
  return {
    state: new CallState(document, call_id, `tool:${tool_id}`),
    messages: [],
    requests: [],
    recordings: [],
    blobs: [],
    children: [],
  };
}

/** A tool that throws has failed; what it says goes to the model, nothing else of the error does. */
function failure(tool: string, error: unknown): ToolResult {
  if (ToolError.is(error)) return toolFailure(tool, error.kind, describeThrown(error).toWellFormed());
  if (error instanceof TimeIsUp) return toolFailure(tool, "timeout", error.message);
  if (error instanceof UnknownAgent) return toolFailure(tool, "unknown_agent", error.message);
  if (error instanceof InvalidEffect) return toolFailure(tool, "invalid_output", error.message);
  return toolFailure(tool, "execution_failed", `Tool ${tool} failed: ${describeThrown(error).toWellFormed()}`);
}
