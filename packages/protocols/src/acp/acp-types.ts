import type { Json } from "@reprise/state";

/** The version of the protocol that is spoken here: stable v1. */
export const ACP_VERSION = 1;

/** A piece of a message, as ACP has it. */
export type AcpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string; readonly uri?: string | null }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly name: string; readonly uri: string; readonly mimeType?: string | null }
  | { readonly type: "resource"; readonly resource: AcpResource };

export interface AcpResource {
  readonly uri: string;
  readonly mimeType?: string | null;
  readonly text?: string;
  readonly blob?: string;
}

export const ACP_TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

/** Which icon an editor shows for a call. */
export type AcpToolKind = (typeof ACP_TOOL_KINDS)[number];

export type AcpToolStatus = "pending" | "in_progress" | "completed" | "failed";

export type AcpToolContent =
  | { readonly type: "content"; readonly content: AcpContent }
  | { readonly type: "diff"; readonly path: string; readonly oldText?: string | null; readonly newText: string }
  | { readonly type: "terminal"; readonly terminalId: string };

export interface AcpLocation {
  readonly path: string;
  readonly line?: number | null;
}

/** A tool call: the whole of it when it begins, and what changed later. */
export interface AcpToolCall {
  readonly toolCallId: string;
  readonly title?: string | null;
  readonly name?: string | null;
  readonly kind?: AcpToolKind | null;
  readonly status?: AcpToolStatus | null;
  readonly content?: readonly AcpToolContent[] | null;
  readonly locations?: readonly AcpLocation[] | null;
  readonly rawInput?: Json;
  readonly rawOutput?: Json;
}

/** A value that a person chooses for a session: the agent, the model. */
export interface AcpConfigOption {
  readonly type: "select";
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly category: "mode" | "model";
  readonly currentValue: string;
  readonly options: readonly { readonly value: string; readonly name: string; readonly description?: string }[];
}

/** What an agent tells a client about a session. */
export type AcpUpdate =
  | {
      readonly sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
      readonly content: AcpContent;
      readonly messageId?: string;
    }
  | ({ readonly sessionUpdate: "tool_call"; readonly title: string } & AcpToolCall)
  | ({ readonly sessionUpdate: "tool_call_update" } & AcpToolCall)
  | { readonly sessionUpdate: "current_mode_update"; readonly currentModeId: string }
  | { readonly sessionUpdate: "config_option_update"; readonly configOptions: readonly AcpConfigOption[] }
  | { readonly sessionUpdate: "session_info_update"; readonly title?: string; readonly updatedAt?: string }
  | {
      readonly sessionUpdate: "usage_update";
      readonly used: number;
      readonly size: number;
      readonly cost?: { readonly amount: number; readonly currency: string };
    }
  | {
      readonly sessionUpdate: "notice";
      readonly severity: "info" | "warning" | "error";
      readonly title: string;
      readonly description?: string;
    }
  | {
      readonly sessionUpdate: "compaction_update";
      readonly compactionId: string;
      readonly status: "in_progress" | "completed" | "failed";
      readonly summary?: readonly AcpContent[];
      readonly error?: string;
    };

export type AcpStopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

export type AcpOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export interface AcpPermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: AcpOptionKind;
}

/** The client's answer to a permission request. */
export type AcpPermissionOutcome =
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "selected"; readonly optionId: string };
