import type { LanguageModel } from "ai";
import { DELTAS, TOOL_ARGUMENTS, TOOL_NAME } from "../workload.ts";

/** The model interface of the AI SDK, without its names for other model versions. */
type AiModel = Extract<LanguageModel, { readonly specificationVersion: "v4" }>;
type AiPart = Awaited<ReturnType<AiModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const CALL: readonly AiPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "tool-input-start", id: "call_1", toolName: TOOL_NAME },
  { type: "tool-input-delta", id: "call_1", delta: TOOL_ARGUMENTS },
  { type: "tool-input-end", id: "call_1" },
  { type: "tool-call", toolCallId: "call_1", toolName: TOOL_NAME, input: TOOL_ARGUMENTS },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
];

const SPEECH: readonly AiPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "text_1" },
  ...DELTAS.map((delta): AiPart => ({ type: "text-delta", id: "text_1", delta })),
  { type: "text-end", id: "text_1" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
];

/** The instant model for the AI SDK, and for Mastra, which takes its models. */
export const aiSdkModel: AiModel = {
  specificationVersion: "v4",
  provider: "bench",
  modelId: "instant",
  supportedUrls: {},
  doGenerate: async () => {
    throw new Error("Only streams are measured.");
  },
  doStream: async ({ prompt }) => ({
    stream: streamOf(prompt.at(-1)?.role === "tool" ? SPEECH : CALL),
  }),
};

function streamOf(parts: readonly AiPart[]): ReadableStream<AiPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
