import type { FilePart, Message, ToolCallRecord } from "@reprise/contracts";
import type { Inference } from "../phases/compose-inference.ts";
import type { AgentView, Outside, RunView } from "../run/ports.ts";
import { callIdOf, messageIdOf } from "../thread/derived-ids.ts";
import type { CompleteCall, Turn } from "../turn/turn.ts";

/** A call the model asked for, as the run keeps it. */
export function requestCall(
  workspace: RunView & Pick<AgentView, "agent" | "versionOf"> & Outside,
  stepId: string,
  call: CompleteCall,
  { refusalOf, sayTold }: Pick<Inference, "refusalOf" | "sayTold">,
): ToolCallRecord {
  const parsed = call.arguments;
  const refusal = refusalOf(call.name);
  const isUnknown = workspace.effects.loopVersion >= 2 && !workspace.agent.tools.has(call.name);
  return {
    call_id: callIdOf(stepId, call.index),
    run_id: workspace.run.run_id,
    thread_id: workspace.run.thread_id,
    step_id: stepId,
    tool_id: call.name,
    tool_version: workspace.versionOf(call.name),
    provider_call_id: call.provider_id,
    arguments: parsed.value,
    ...(!parsed.ok && { problem: parsed.problem }),
    ...(refusal !== undefined && { refusal }),
    ...(isUnknown && { told_tools: sayTold() }),
    status: "new",
    suspension: 0,
    updated_at: workspace.now,
  };
}

/** A turn with what it made, and by whom, when there was a choice. */
export interface SaidTurn {
  readonly turn: Turn;
  readonly files: readonly FilePart[];
  readonly provider: string | undefined;
}

/** What the model said, as the thread keeps it; nothing when it said nothing at all. */
export function assistantMessage(
  workspace: Pick<RunView, "run">,
  stepId: string,
  { turn, files, provider }: SaidTurn,
  requested: readonly ToolCallRecord[],
): Message | undefined {
  if (turn.text === "" && turn.reasoning === "" && requested.length + files.length === 0) return undefined;
  const { run } = workspace;
  const reasoning = {
    type: "reasoning",
    text: turn.reasoning,
    ...(turn.encrypted !== undefined && { encrypted: turn.encrypted }),
    ...(provider !== undefined && { provider }),
  } as const;
  const hasReasoning = turn.reasoning !== "" || turn.encrypted !== undefined;
  const parts = [...(hasReasoning ? [reasoning] : []), { type: "text", text: turn.text } as const, ...files];
  return {
    id: messageIdOf(stepId),
    role: "assistant",
    content: parts.length > 1 ? parts : turn.text,
    ...(requested.length > 0 && {
      tool_calls: requested.map((record) => ({
        id: record.call_id,
        name: record.tool_id,
        arguments: record.arguments,
        ...(record.provider_call_id !== undefined && { provider_call_id: record.provider_call_id }),
      })),
    }),
    metadata: { run_id: run.run_id, step_index: run.steps },
  };
}
