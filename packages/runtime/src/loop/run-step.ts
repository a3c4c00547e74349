import type { Message, ToolCallRecord } from "@reprise/contracts";
import { runTurn } from "../turn/run-turn.ts";
import type { Turn, TurnChunk } from "../turn/turn.ts";
import { callIdOf, messageIdOf, stepIdOf } from "./derived-ids.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** One model call; returns what it asks for. The assistant message is added but not committed: tools or the end of the run come with it. */
export async function runStep(workspace: RunWorkspace): Promise<readonly ToolCallRecord[]> {
  const { agent, services, run } = workspace;
  const { env, limits } = services;
  const step = run.steps + 1;
  const stepId = stepIdOf(run.run_id, step);
  workspace.setRun({ steps: step });
  workspace.show("step_start", { message_id: messageIdOf(stepId) }, stepId);

  const model = services.registry.modelOf(agent);
  workspace.assertHeld();
  const startedAt = env.clock.mono();
  const turn = await runTurn({
    model,
    request: {
      system: agent.instructions,
      messages: workspace.modelMessages(),
      tools: workspace.offeredTools(),
      options: agent.chatOptions,
      signal: workspace.signal,
    },
    recovery: { interruptions: limits.streamRetries, truncations: limits.truncationRetries },
    show: (chunk) => showChunk(workspace, stepId, chunk),
    idleTimeoutMs: limits.modelIdleTimeoutMs,
    after: (ms, callback) => env.clock.after(ms, callback),
  });

  const requested = turn.calls.map((_, index) => requestCall(workspace, stepId, turn, index));
  const message = assistantMessage(workspace, stepId, turn, requested);
  if (message !== undefined) workspace.addMessage(message);
  countTokens(workspace, turn);
  const duration_ms = Math.round(env.clock.mono() - startedAt);
  workspace.hold("inference_complete", { model: model.id, usage: turn.usage, duration_ms }, stepId);
  workspace.hold("step_end", {}, stepId);
  return requested;
}

function showChunk(workspace: RunWorkspace, stepId: string, chunk: TurnChunk): void {
  switch (chunk.type) {
    case "text_delta":
    case "reasoning_delta":
      return workspace.show(chunk.type, { delta: chunk.delta }, stepId);
    case "reasoning_encrypted_value":
      return workspace.show(chunk.type, { encrypted_value: chunk.encrypted_value }, stepId);
    case "tool_call_start":
      return workspace.show(chunk.type, { id: callIdOf(stepId, chunk.index), name: chunk.name }, stepId);
    case "tool_call_delta":
      return workspace.show(chunk.type, { id: callIdOf(stepId, chunk.index), args_delta: chunk.args_delta }, stepId);
    case "tool_call_ready": {
      const { name, arguments: parsed } = chunk.call;
      return workspace.show(chunk.type, { id: callIdOf(stepId, chunk.index), name, arguments: parsed.value }, stepId);
    }
    case "reset":
      return workspace.show("step_reset", { message_id: messageIdOf(stepId) }, stepId);
    default:
      chunk satisfies never;
  }
}

function requestCall(workspace: RunWorkspace, stepId: string, turn: Turn, index: number): ToolCallRecord {
  const call = turn.calls[index];
  if (call === undefined) throw new RangeError(`A turn has no call ${index}.`);
  const parsed = call.arguments;
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
    status: "new",
    suspension: 0,
    updated_at: workspace.now,
  };
}

function assistantMessage(
  workspace: RunWorkspace,
  stepId: string,
  turn: Turn,
  requested: readonly ToolCallRecord[],
): Message | undefined {
  if (turn.text === "" && turn.reasoning === "" && requested.length === 0) return undefined;
  const { run } = workspace;
  const reasoning = {
    type: "reasoning",
    text: turn.reasoning,
    ...(turn.encrypted !== undefined && { encrypted: turn.encrypted }),
  } as const;
  const hasReasoning = turn.reasoning !== "" || turn.encrypted !== undefined;
  return {
    id: messageIdOf(stepId),
    role: "assistant",
    content: hasReasoning ? [reasoning, { type: "text", text: turn.text }] : turn.text,
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

function countTokens(workspace: RunWorkspace, { usage }: Turn): void {
  const { input_tokens, output_tokens } = workspace.run;
  workspace.setRun({
    input_tokens: input_tokens + (usage.prompt_tokens ?? 0),
    output_tokens: output_tokens + (usage.completion_tokens ?? 0),
  });
}
