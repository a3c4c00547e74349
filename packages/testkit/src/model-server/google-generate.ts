import type { ScriptStep } from "@reprise/models";
import { argumentsOf, piecesOf, readEnding } from "./read-steps.ts";
import type { Frame, Protocol } from "./server-script.ts";

/** Google's generateContent. Calls come whole there, and without an id. */
export const GOOGLE_GENERATE: Protocol = {
  contentType: "text/event-stream",
  *encode(steps, model): Generator<Frame> {
    const candidate = (parts: readonly object[], more: object = {}): string =>
      event({
        candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
        modelVersion: model,
        responseId: "response-1",
      });
    for (const step of steps) {
      if ("stall" in step || "cut" in step) {
        yield { fault: "stall" in step ? "stall" : "cut" };
        return;
      }
      if ("fail" in step) {
        yield event(GOOGLE_GENERATE.encodeError(500, step.fail));
        return;
      }
      for (const part of partsOf(step)) yield candidate([part]);
    }
    const { stop, usage } = readEnding(steps);
    const {
      promptTokens: prompt_tokens = 0,
      completionTokens: completion_tokens = 0,
      thinkingTokens: thinking_tokens = 0,
    } = usage;
    const usageMetadata = {
      promptTokenCount: prompt_tokens,
      candidatesTokenCount: completion_tokens - thinking_tokens,
      thoughtsTokenCount: thinking_tokens,
      cachedContentTokenCount: usage.cacheReadTokens ?? 0,
      totalTokenCount: prompt_tokens + completion_tokens,
    };
    const finishReason = stop === "max_tokens" ? "MAX_TOKENS" : "STOP";
    yield event({
      candidates: [{ content: { parts: [], role: "model" }, finishReason, index: 0 }],
      usageMetadata,
      modelVersion: model,
    });
  },
  encodeError: (status, code) => ({
    error: { code: status, message: `Scripted failure ${code} (${status}).`, status: code },
  }),
};

function partsOf(step: ScriptStep): readonly object[] {
  if ("text" in step) return piecesOf(step.text).map((text) => ({ text }));
  if ("reasoning" in step) return [{ text: step.reasoning, thought: true }];
  if (!("call" in step)) return [];
  const functionCall = { name: step.call, args: JSON.parse(argumentsOf(step).text) };
  return [{ functionCall, thoughtSignature: "signature of a thought" }];
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}
