import type { Clock, FilePart, LanguageModel, ModelRequest, StopReason, TokenUsage } from "@reprise/contracts";
import type { ParsedArguments } from "../json/parse-arguments.ts";

/** A call the model asked for and finished writing. */
export interface CompleteCall {
  /** Which call of the turn it is, in the order in which they began; unfinished ones leave gaps. */
  readonly index: number;
  readonly provider_id: string;
  readonly name: string;
  readonly arguments: ParsedArguments;
}

/** What one turn of the model came to. */
export interface Turn {
  readonly text: string;
  readonly reasoning: string;
  readonly encrypted: string | undefined;
  /** Files it made, as the model gave them: `data:` URLs, or where they lie. Absent when there are none. */
  readonly files?: readonly FilePart[];
  readonly calls: readonly CompleteCall[];
  readonly stop_reason: StopReason;
  readonly usage: TokenUsage;
}

/** What a turn shows while it happens. Calls are named by the order in which they began. */
export type TurnChunk =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "reasoning_delta"; readonly delta: string }
  | { readonly type: "reasoning_encrypted_value"; readonly encrypted_value: string }
  | { readonly type: "tool_call_start"; readonly index: number; readonly name: string }
  | { readonly type: "tool_call_delta"; readonly index: number; readonly args_delta: string }
  | { readonly type: "tool_call_ready"; readonly index: number; readonly call: CompleteCall }
  /** Everything shown of this turn is withdrawn; it begins anew. */
  | { readonly type: "reset" };

export interface TurnOptions {
  readonly model: LanguageModel;
  readonly request: ModelRequest;
  readonly recovery: RecoveryLimits;
  /** Called for every chunk, in order, as it comes. */
  readonly show: (chunk: TurnChunk) => void;
  /** Ends a stream that says nothing for this long; null to wait for ever. */
  readonly idleTimeoutMs: number | null;
  readonly after: Clock["after"];
  readonly sleep: Clock["sleep"];
}

/** How often a broken or cut turn is taken up again. */
export interface RecoveryLimits {
  /** Requests after the stream broke. */
  readonly interruptions: number;
  /** Requests after the model ran out of room. */
  readonly truncations: number;
}
