/** A message of a thread as AG-UI clients keep it. */
export type AgUiMessage =
  | { readonly id: string; readonly role: "user"; readonly content: string | readonly AgUiPart[] }
  | {
      readonly id: string;
      readonly role: "assistant";
      readonly content?: string;
      readonly toolCalls?: readonly AgUiToolCall[];
    }
  | { readonly id: string; readonly role: "tool"; readonly toolCallId: string; readonly content: string }
  | { readonly id: string; readonly role: "reasoning"; readonly content: string; readonly encryptedValue?: string };

export interface AgUiToolCall {
  readonly id: string;
  readonly type: "function";
  /** The arguments are the text of a JSON document. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export type AgUiPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "audio" | "video" | "document";
      readonly source: { readonly type: "url"; readonly value: string; readonly mimeType?: string };
    };
