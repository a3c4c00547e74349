import { ModelError, type StopReason, type TokenUsage } from "@reprise/contracts";
import { sayFailure } from "../failure/failed-answer.ts";
import type { AiSdkModel, WrittenFinishReason } from "./ai-sdk-model.ts";

/** Packages that always know why an answer ended, if it did. */
const KNOWS_WHY = /^(openai|azure|anthropic|google|vertex|amazon-bedrock|bedrock|deepseek)\b/;

/** How an answer ended, and whether it did. */
export interface Ended {
  readonly reason: WrittenFinishReason;
  readonly usage: TokenUsage | undefined;
  readonly hasCalls: boolean;
}

/** Why the model stopped. Throws when it was stopped: by its filter, by a failure, or by a connection that broke. */
export function readFinish(
  id: string,
  model: Pick<AiSdkModel, "provider">,
  { reason, usage, hasCalls }: Ended,
): StopReason {
  const { unified, raw } = typeof reason === "string" ? { unified: reason, raw: undefined } : reason;
  switch (unified) {
    case "length":
      return "max_tokens";
    case "content-filter":
      throw new ModelError("content_filter", sayFailure(id, "content_filter", [raw]), {
        code: raw ?? "content_filter",
      });
    case "error":
      throw new ModelError("server_error", sayFailure(id, "server_error", [raw]), { code: raw ?? "error" });
    case "interrupted":
      throw interrupted(id);
    case "other": // v3: a stream that broke off ends like this
    case "unknown": // and in v2 like this
      if (raw === undefined && isBreak(model.provider, usage)) throw interrupted(id);
  }
  if (hasCalls) return "tool_use";
  return raw === "stop_sequence" ? "stop_sequence" : "end_turn";
}

/** Other packages may just not say why an answer ended; but they say what it took, which comes last. */
function isBreak(provider: string, usage: TokenUsage | undefined): boolean {
  return KNOWS_WHY.test(provider) || !usage?.completion_tokens;
}

function interrupted(id: string): ModelError {
  return new ModelError("stream_interrupted", sayFailure(id, "stream_interrupted", []));
}
