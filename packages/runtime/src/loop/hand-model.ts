import type { HandCall, LanguageModel, ModelChunk } from "@reprise/contracts";

/**
 * Stands in for the model of a run that makes one call by hand: it asks for the call, and when that is over it has nothing to add.
 * The call goes the way of every other one, with its gates, its record and its approval.
 */
export function handModel({ tool_id: name, arguments: input }: HandCall, step: number): LanguageModel {
  return {
    id: "by-hand",
    async *stream(): AsyncGenerator<ModelChunk> {
      if (step > 1) {
        yield { type: "text_delta", delta: `The call of ${name} was made by hand.` };
        return yield { type: "finish", stop_reason: "end_turn" };
      }
      yield { type: "tool_call_start", id: "by-hand", name };
      yield { type: "tool_call_ready", id: "by-hand", name, arguments: JSON.stringify(input) };
      yield { type: "finish", stop_reason: "tool_use" };
    },
  };
}
