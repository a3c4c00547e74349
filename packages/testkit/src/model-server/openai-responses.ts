import type { ScriptStep } from "@reprise/models";
import { argumentsOf, piecesOf, readEnding } from "./read-steps.ts";
import type { Frame, Protocol } from "./server-script.ts";

/** OpenAI responses. Each step is an output item of its own, as there. */
export const OPENAI_RESPONSES: Protocol = {
  contentType: "text/event-stream",
  *encode(steps, model): Generator<Frame> {
    const response = { id: "resp_1", object: "response", created_at: 1, model, service_tier: "default" };
    yield event({ type: "response.created", response });
    yield event({ type: "response.in_progress", response });
    let output_index = 0;
    for (const step of steps) {
      if ("stall" in step || "cut" in step) {
        yield { fault: "stall" in step ? "stall" : "cut" };
        return;
      }
      if ("fail" in step) {
        yield event({ type: "error", sequence_number: 9, ...OPENAI_RESPONSES.encodeError(500, step.fail) });
        return;
      }
      const item = eventsOf(step, output_index);
      if (item.length > 0) output_index++;
      for (const each of item) yield event(each);
    }
    const { stop, usage } = readEnding(steps);
    yield event({
      type: stop === "max_tokens" ? "response.incomplete" : "response.completed",
      response: {
        ...response,
        incomplete_details: stop === "max_tokens" ? { reason: "max_output_tokens" } : null,
        usage: {
          input_tokens: usage.promptTokens,
          input_tokens_details: { cached_tokens: usage.cacheReadTokens ?? 0 },
          output_tokens: usage.completionTokens,
          output_tokens_details: { reasoning_tokens: usage.thinkingTokens ?? 0 },
        },
      },
    });
  },
  encodeError: (status, code) => ({
    error: { message: `Scripted failure ${code} (${status}).`, type: code, param: null, code },
  }),
};

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function eventsOf(step: ScriptStep, output_index: number): readonly StreamEvent[] {
  const item = (type: "added" | "done", fields: object): StreamEvent => ({
    type: `response.output_item.${type}`,
    output_index,
    item: fields,
  });
  if ("text" in step) {
    const message = { type: "message", id: `msg_${output_index}`, role: "assistant", content: [] };
    const deltas = piecesOf(step.text).map((delta) => ({
      type: "response.output_text.delta",
      item_id: message.id,
      output_index,
      content_index: 0,
      delta,
    }));
    return [item("added", message), ...deltas, item("done", message)];
  }
  if ("reasoning" in step) {
    const reasoning = { type: "reasoning", id: `rs_${output_index}`, summary: [] };
    const place = { item_id: reasoning.id, output_index, summary_index: 0 };
    return [
      item("added", { ...reasoning, encrypted_content: null }),
      { type: "response.reasoning_summary_part.added", ...place },
      { type: "response.reasoning_summary_text.delta", ...place, delta: step.reasoning },
      { type: "response.reasoning_summary_part.done", ...place },
      item("done", { ...reasoning, encrypted_content: `encrypted ${output_index}` }),
    ];
  }
  if (!("call" in step || "unfinishedCall" in step)) return [];
  const { text, pieces } = argumentsOf(step);
  const name = "call" in step ? step.call : step.unfinishedCall;
  const call_id = ("id" in step ? step.id : undefined) ?? `call_${output_index}`;
  const call = { type: "function_call", id: `fc_${output_index}`, call_id, name };
  const deltas = pieces.map((delta) => ({
    type: "response.function_call_arguments.delta",
    item_id: call.id,
    output_index,
    delta,
  }));
  const done = item("done", { ...call, arguments: text, status: "completed" });
  return [
    item("added", { ...call, arguments: "", status: "in_progress" }),
    ...deltas,
    ...("call" in step ? [done] : []),
  ];
}

function event(data: StreamEvent): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
