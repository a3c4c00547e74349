import type { JsonPatchData } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { AgUiMessage } from "./ag-ui-message.ts";

/**
 * The version that a client speaks. Clients of version 1 say so in their request (`protocolVersion`); those before it say nothing and
 * refuse a stream with the outcomes they do not know.
 */
export type AgUiVersion = "0" | "1.0";

export function agUiVersionOf(protocolVersion: string | undefined): AgUiVersion {
  return /^[1-9]\d*\./.test(protocolVersion ?? "") ? "1.0" : "0";
}

/** A question about a call, as a client gets it with the end of its run. */
export interface AgUiInterrupt {
  readonly id: string;
  /** `tool_call`: may the call run? `input_required`: an answer is needed. `reprise:<action>`: a question of the runtime. */
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  readonly responseSchema?: Json;
  /** ISO 8601. */
  readonly expiresAt?: string;
  readonly subagentRunId?: string;
  readonly metadata: { readonly [key: string]: Json };
}

export interface AgUiUsage {
  readonly model: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}

export type AgUiOutcome =
  | { readonly type: "success"; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: "interrupt"; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: "cancelled" };

interface InMessage {
  readonly messageId: string;
}

interface OfCall {
  readonly toolCallId: string;
}

/** One event of an AG-UI stream. Fields are left out, never null: clients refuse null. */
export type AgUiEvent = AgUiEventOfRun & {
  /** The run below that the event belongs to. */
  readonly subagentRunId?: string;
};

type AgUiEventOfRun =
  | {
      readonly type: "RUN_STARTED";
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion?: string;
      readonly parentRunId?: string;
      /** The run's own id, where the client has another. */
      readonly metadata?: { readonly runId: string };
    }
  | {
      readonly type: "RUN_FINISHED";
      readonly threadId: string;
      readonly runId: string;
      readonly result?: Json;
      readonly outcome: AgUiOutcome;
      readonly usage?: readonly AgUiUsage[];
      /** `termination` says why a run ended that was stopped. */
      readonly metadata?: { readonly termination: string };
    }
  | {
      readonly type: "RUN_ERROR";
      readonly message: string;
      readonly code: string;
      readonly usage?: readonly AgUiUsage[];
    }
  | {
      readonly type: "SUBAGENT_STARTED";
      readonly subagentRunId: string;
      /** The id of the agent. */
      readonly name: string;
      readonly parentToolCallId: string;
      readonly parentSubagentRunId?: string;
    }
  | {
      readonly type: "SUBAGENT_FINISHED";
      readonly subagentRunId: string;
      readonly result?: Json;
      readonly outcome:
        | { readonly type: "success" }
        | { readonly type: "suspended"; readonly interruptIds?: readonly string[] };
    }
  | { readonly type: "SUBAGENT_ERROR"; readonly subagentRunId: string; readonly message: string; readonly code: string }
  | { readonly type: "STEP_STARTED" | "STEP_FINISHED"; readonly stepName: string }
  | ({ readonly type: "TEXT_MESSAGE_START"; readonly role: "assistant" } & InMessage)
  | ({ readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT"; readonly delta: string } & InMessage)
  | ({ readonly type: "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END" } & InMessage)
  | ({ readonly type: "REASONING_MESSAGE_START"; readonly role: "reasoning" } & InMessage)
  | {
      readonly type: "REASONING_ENCRYPTED_VALUE";
      readonly subtype: "message";
      readonly entityId: string;
      readonly encryptedValue: string;
    }
  | ({ readonly type: "TOOL_CALL_START"; readonly toolCallName: string; readonly parentMessageId?: string } & OfCall)
  | ({ readonly type: "TOOL_CALL_ARGS"; readonly delta: string } & OfCall)
  | ({ readonly type: "TOOL_CALL_END" } & OfCall)
  | ({ readonly type: "TOOL_CALL_RESULT"; readonly content: string; readonly role: "tool" } & OfCall & InMessage)
  /** `inference_complete`, and `agent_handoff` when another agent continues the run. */
  | { readonly type: "CUSTOM"; readonly name: string; readonly value: Json }
  | { readonly type: "STATE_SNAPSHOT"; readonly snapshot: Json }
  | { readonly type: "STATE_DELTA"; readonly delta: readonly JsonPatchData[] }
  | { readonly type: "MESSAGES_SNAPSHOT"; readonly messages: readonly AgUiMessage[] }
  | ({
      readonly type: "ACTIVITY_SNAPSHOT";
      readonly activityType: string;
      readonly content: { readonly [key: string]: Json };
      readonly replace?: boolean;
    } & InMessage)
  | ({
      readonly type: "ACTIVITY_DELTA";
      readonly activityType: string;
      readonly patch: readonly JsonPatchData[];
    } & InMessage);
