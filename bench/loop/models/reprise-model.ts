import type { LanguageModel, ModelChunk } from "../../../packages/contracts/src/index.ts";
import { DELTAS, TOOL_ARGUMENTS, TOOL_NAME } from "../workload.ts";

const CALL: readonly ModelChunk[] = [
  { type: "tool_call_start", id: "call_1", name: TOOL_NAME },
  { type: "tool_call_delta", id: "call_1", args_delta: TOOL_ARGUMENTS },
  { type: "tool_call_ready", id: "call_1", name: TOOL_NAME, arguments: TOOL_ARGUMENTS },
  { type: "finish", stop_reason: "tool_use" },
];

const SPEECH: readonly ModelChunk[] = [
  ...DELTAS.map((delta) => ({ type: "text_delta", delta }) as const),
  { type: "finish", stop_reason: "end_turn" },
];

/** Answers at once, from chunks made beforehand, and keeps nothing: what is left is the cost of the loop around it. */
export const instantModel: LanguageModel = {
  id: "instant",
  async *stream({ messages }) {
    yield* messages.at(-1)?.role === "tool" ? SPEECH : CALL;
  },
};
