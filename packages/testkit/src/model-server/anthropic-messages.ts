import type { ScriptStep } from "@reprise/models";
import { argumentsOf, piecesOf, readEnding } from "./read-steps.ts";
import type { Frame, Protocol } from "./server-script.ts";

/** Anthropic messages. Each step is a content block of its own, as there. */
export const ANTHROPIC_MESSAGES: Protocol = {
  contentType: "text/event-stream",
  *encode(steps, model): Generator<Frame> {
    const { stop, usage } = readEnding(steps);
    const cached = {
      cache_read_input_tokens: usage.cacheReadTokens ?? 0,
      cache_creation_input_tokens: usage.cacheCreationTokens ?? 0,
    };
    // What is cached counts apart from the other input there.
    const input_tokens =
      (usage.promptTokens ?? 0) - cached.cache_read_input_tokens - cached.cache_creation_input_tokens;
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    yield event({
      type: "message_start",
      message: { ...message, usage: { input_tokens, output_tokens: 1, ...cached } },
    });
    yield event({ type: "ping" });
    let index = 0;
    for (const step of steps) {
      if ("stall" in step || "cut" in step) {
        yield { fault: "stall" in step ? "stall" : "cut" };
        return;
      }
      if ("fail" in step) {
        yield event({ type: "error", ...ANTHROPIC_MESSAGES.encodeError(500, step.fail) });
        return;
      }
      const block = eventsOf(step, index);
      if (block.length > 0) index++;
      for (const each of block) yield event(each);
    }
    const delta = { stop_reason: stop, stop_sequence: stop === "stop_sequence" ? "END" : null };
    yield event({ type: "message_delta", delta, usage: { output_tokens: usage.completionTokens } });
    yield event({ type: "message_stop" });
  },
  encodeError: (status, code) => ({
    type: "error",
    error: { type: code, message: `Scripted failure ${code} (${status}).` },
  }),
};

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function eventsOf(step: ScriptStep, index: number): readonly StreamEvent[] {
  const start = (content_block: object): StreamEvent => ({ type: "content_block_start", index, content_block });
  const delta = (fields: object): StreamEvent => ({ type: "content_block_delta", index, delta: fields });
  const stop = { type: "content_block_stop", index };
  if ("text" in step) {
    const deltas = piecesOf(step.text).map((text) => delta({ type: "text_delta", text }));
    return [start({ type: "text", text: "" }), ...deltas, stop];
  }
  if ("reasoning" in step) {
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      delta({ type: "thinking_delta", thinking: step.reasoning }),
      delta({ type: "signature_delta", signature: `signature ${index}` }),
      stop,
    ];
  }
  if (!("call" in step || "unfinishedCall" in step)) return [];
  const name = "call" in step ? step.call : step.unfinishedCall;
  const id = ("id" in step ? step.id : undefined) ?? `toolu_${index}`;
  const pieces = argumentsOf(step).pieces.map((partial_json) => delta({ type: "input_json_delta", partial_json }));
  return [start({ type: "tool_use", id, name, input: {} }), ...pieces, ...("call" in step ? [stop] : [])];
}

function event(data: StreamEvent): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
