import type { Json } from "@reprise/state";
import type { ApprovalDescriptor } from "./ui-chunk.ts";

/** A message as a page has it. One of the assistant is one run. */
export interface UiMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly UiPart[];
}

export type UiPart =
  | { readonly type: "step-start" }
  | { readonly type: "text"; readonly text: string; readonly state?: "done" }
  | { readonly type: "reasoning"; readonly id: string; readonly text: string; readonly state: "done" }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string; readonly filename?: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: Json }
  | UiToolPart;

/** A call and how it stands. */
export type UiToolPart = (
  | { readonly type: `tool-${string}` }
  | { readonly type: "dynamic-tool"; readonly toolName: string }
) & { readonly toolCallId: string; readonly input: Json } & UiToolState;

export type UiToolState =
  | { readonly state: "input-available" }
  | {
      readonly state: "approval-requested";
      readonly approval: { readonly id: string; readonly descriptor: ApprovalDescriptor };
    }
  | { readonly state: "output-available"; readonly output: Json }
  | { readonly state: "output-error"; readonly errorText: string }
  | { readonly state: "output-denied"; readonly approval: { readonly id: string; readonly approved: false } };
