import type { ScriptStep } from "@reprise/models";
import { argumentsOf, piecesOf, readEnding } from "./read-steps.ts";
import type { Frame, Protocol } from "./server-script.ts";

const STOPS = { end_turn: "stop", max_tokens: "length", tool_use: "tool_calls", stop_sequence: "stop" } as const;

/** OpenAI chat completions. */
export const CHAT_COMPLETIONS: Protocol = {
  contentType: "text/event-stream",
  *encode(steps, model): Generator<Frame> {
    const chunk = (choice: object, more: object = {}): string =>
      event({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, ...choice }],
        ...more,
      });
    yield chunk({ delta: { role: "assistant", content: "" }, finish_reason: null });
    let calls = 0;
    for (const step of steps) {
      if ("stall" in step || "cut" in step) {
        yield { fault: "stall" in step ? "stall" : "cut" };
        return;
      }
      if ("fail" in step) {
        yield event(CHAT_COMPLETIONS.encodeError(500, step.fail));
        return;
      }
      for (const delta of deltasOf(step, calls)) yield chunk({ delta, finish_reason: null });
      if ("call" in step || "unfinishedCall" in step) calls++;
    }
    const { stop } = readEnding(steps);
    yield chunk({ delta: {}, finish_reason: STOPS[stop], ...(stop === "stop_sequence" && { stop_reason: "END" }) });
    yield event({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [],
      usage: writeUsage(steps),
    });
    yield "data: [DONE]\n\n";
  },
  encodeError: (status, code) => ({
    error: { message: `Scripted failure ${code} (${status}).`, type: code, param: null, code },
  }),
};

/** The same answer in one body. */
export function encodeWholeCompletion(steps: readonly ScriptStep[], model: string): object {
  const texts = steps.flatMap((step) => ("text" in step ? piecesOf(step.text) : []));
  const reasoning = steps.flatMap((step) => ("reasoning" in step ? [step.reasoning] : []));
  const calls = steps.filter((step) => "call" in step);
  const message = {
    role: "assistant",
    content: texts.length === 0 ? null : texts.join(""),
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join("") }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        id: call.id ?? `call_${index + 1}`,
        type: "function",
        function: { name: call.call, arguments: argumentsOf(call).text },
      })),
    }),
  };
  const choices = [{ index: 0, message, finish_reason: STOPS[readEnding(steps).stop] }];
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model, choices, usage: writeUsage(steps) };
}

function* deltasOf(step: ScriptStep, index: number): Generator<object> {
  if ("text" in step) for (const content of piecesOf(step.text)) yield { content };
  else if ("reasoning" in step) yield { reasoning_content: step.reasoning };
  else if ("call" in step || "unfinishedCall" in step) {
    const name = "call" in step ? step.call : step.unfinishedCall;
    const id = ("id" in step ? step.id : undefined) ?? `call_${index + 1}`;
    yield { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    for (const piece of argumentsOf(step).pieces) yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

function writeUsage(steps: readonly ScriptStep[]): object {
  const { usage } = readEnding(steps);
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens ?? (usage.promptTokens ?? 0) + (usage.completionTokens ?? 0),
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens ?? 0 },
    prompt_cache_hit_tokens: usage.cacheReadTokens ?? 0, // DeepSeek's word for it
    completion_tokens_details: { reasoning_tokens: usage.thinkingTokens ?? 0 },
  };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
