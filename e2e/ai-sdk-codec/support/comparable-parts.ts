import type { ClientMessage } from "./client.ts";

/** The parts of a step, in one form whether they were streamed or stored. */
export interface ComparableStep {
  readonly text: string;
  readonly reasoning: string;
  readonly tools: readonly unknown[];
  readonly files: readonly unknown[];
}

/**
 * A message step by step. Left out is what only one side can have: facts, the words a tool said beside its data, the exact question of a
 * call that was denied. A step is kept as one message, so text around a call is one text.
 */
export function comparable(message: Pick<ClientMessage, "id" | "role" | "parts"> | undefined) {
  const steps: { text: string; reasoning: string; tools: unknown[]; files: unknown[] }[] = [];
  for (const part of message?.parts ?? []) {
    if (part.type === "step-start") steps.push({ text: "", reasoning: "", tools: [], files: [] });
    const step = steps.at(-1);
    if (step === undefined) continue;
    if (part.type === "text") step.text += part.text;
    else if (part.type === "reasoning") step.reasoning += part.text;
    else if (part.type === "file") step.files.push({ url: part.url, mediaType: part.mediaType });
    else if (part.type.startsWith("tool-") || part.type === "dynamic-tool") step.tools.push(comparableTool(part));
  }
  return { id: message?.id, role: message?.role, steps: steps as readonly ComparableStep[] };
}

function comparableTool(part: ClientMessage["parts"][number]) {
  const { type, toolCallId, state, input, output, errorText, approval } = part;
  const isAsked = state === "approval-requested";
  const { tool_name, status, data } = (output ?? {}) as { tool_name?: string; status?: string; data?: unknown };
  return JSON.parse(
    JSON.stringify({
      type,
      toolCallId,
      state,
      input,
      tool_name,
      status,
      data,
      errorText,
      approval: isAsked ? approval : undefined,
    }),
  );
}
