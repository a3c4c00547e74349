import type { Json } from "@reprise/state";

export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/**
 * A chunk of a UI message stream. Only what version 6 of the client knows: it refuses a stream with any other type in it, and
 * version 7 takes all of these.
 */
export type UiChunk =
  | { readonly type: "start"; readonly messageId?: string }
  | { readonly type: "finish"; readonly finishReason: FinishReason }
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "start-step" | "finish-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-start" } & ToolName)
  | { readonly type: "tool-input-delta"; readonly toolCallId: string; readonly inputTextDelta: string }
  | ({ readonly type: "tool-input-available"; readonly input: Json } & ToolName)
  | ({ readonly type: "tool-input-error"; readonly input: Json; readonly errorText: string } & ToolName)
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      /** What is asked, for who shows the question. It comes back with the answer. */
      readonly approvalDescriptor: ApprovalDescriptor;
    }
  | { readonly type: "tool-output-available"; readonly toolCallId: string; readonly output: Json }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | { readonly type: "source-url"; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
    }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | {
      readonly type: `data-${string}`;
      /** Replaces the part of the same type and id. */
      readonly id?: string;
      readonly data: Json;
      /** Heard by the page and not kept in the message. */
      readonly transient?: true;
    };

interface ToolName {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Shown as `dynamic-tool`: no front end has a part of its own for it. */
  readonly dynamic?: true;
}

/** A question about a call, as a front end shows it. */
export type ApprovalDescriptor = {
  readonly action: string;
  readonly message?: string;
  readonly parameters?: Json;
  readonly responseSchema?: Json;
  readonly resumeMode: string;
  /** Which question about the call this is, from 1. */
  readonly suspension: number;
  /** What exactly is decided about: an answer that brings it back counts for nothing else. */
  readonly bindingHash: string;
  readonly expiresAt?: number;
};
