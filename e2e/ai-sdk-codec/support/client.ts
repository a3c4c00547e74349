/** A result of the official parser. */
type Parsed = { readonly success: true; readonly value: unknown } | { readonly success: false; readonly error: Error };

/** A message as the official client has it. */
export interface ClientMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly type: string; readonly [key: string]: unknown }[];
}

export interface ChatOptions {
  readonly id: string;
  readonly transport: unknown;
  readonly state: ChatState;
  readonly onFinish?: () => void;
  readonly onError?: (error: Error) => void;
  readonly sendAutomaticallyWhen?: (options: { readonly messages: readonly ClientMessage[] }) => boolean;
}

/** Where a chat keeps what it shows; frameworks have their own. */
export interface ChatState {
  status: string;
  error: Error | undefined;
  messages: ClientMessage[];
  pushMessage(message: ClientMessage): void;
  popMessage(): void;
  replaceMessage(index: number, message: ClientMessage): void;
  snapshot<Value>(value: Value): Value;
}

/** What is behind `useChat`. */
export interface Chat {
  readonly status: string;
  readonly messages: readonly ClientMessage[];
  sendMessage(message: { readonly text: string; readonly messageId?: string }): Promise<void>;
  regenerate(options: { readonly messageId: string }): Promise<void>;
  /** Reads no further; what the server does is its own affair. */
  stop(): Promise<void>;
  resumeStream(): Promise<void>;
  addToolApprovalResponse(response: {
    readonly id: string;
    readonly approved: boolean;
    readonly reason?: string;
  }): Promise<void>;
  addToolOutput(output: {
    readonly tool: string;
    readonly toolCallId: string;
    readonly output: unknown;
  }): Promise<void>;
}

/** What is used of the official package. */
export interface Client {
  readonly name: string;
  parseJsonEventStream(options: {
    readonly stream: ReadableStream<Uint8Array>;
    readonly schema: unknown;
  }): ReadableStream<Parsed>;
  readonly uiMessageChunkSchema: unknown;
  readUIMessageStream(options: {
    readonly stream: ReadableStream<unknown>;
    readonly message?: ClientMessage;
    readonly onError?: (error: unknown) => void;
    readonly terminateOnError?: boolean;
  }): AsyncIterable<ClientMessage>;
  validateUIMessages(options: { readonly messages: readonly unknown[] }): Promise<readonly ClientMessage[]>;
  readonly AbstractChat: new (options: ChatOptions) => Chat;
  lastAssistantMessageIsCompleteWithApprovalResponses(options: {
    readonly messages: readonly ClientMessage[];
  }): boolean;
  lastAssistantMessageIsCompleteWithToolCalls(options: { readonly messages: readonly ClientMessage[] }): boolean;
  readonly DefaultChatTransport: new (options: {
    readonly api: string;
    readonly fetch: typeof fetch;
  }) => {
    sendMessages(options: {
      readonly chatId: string;
      readonly messages: readonly unknown[];
      readonly trigger: string;
      readonly messageId: string | undefined;
      readonly abortSignal: AbortSignal | undefined;
    }): Promise<ReadableStream<unknown>>;
  };
}
