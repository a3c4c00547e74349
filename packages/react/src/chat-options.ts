/** A request as the transport of the AI SDK prepares it. */
interface PreparedRequest {
  readonly id: string;
  readonly messages: readonly unknown[];
  readonly trigger: string;
  readonly messageId: string | undefined;
  readonly body?: object | undefined;
}

/** Options for `DefaultChatTransport` of the AI SDK. */
export interface ChatTransportOptions {
  readonly api: string;
  readonly headers?: () => Record<string, string> | Promise<Record<string, string>>;
  prepareSendMessagesRequest(request: PreparedRequest): { readonly body: object };
}

export interface ChatOptions {
  readonly agentId: string;
  /** The address of the server. Without it requests go to the page's own origin. */
  readonly baseUrl?: string;
  /** An API key or a JWT, or a function that is asked before every request. */
  readonly token?: string | (() => string | Promise<string>);
}

/**
 * Options for the transport of `useChat`: `new DefaultChatTransport(chatTransportOptions({ agentId }))`. Only the newest message is sent with
 * a request, because the server has the thread.
 */
export function chatTransportOptions({ agentId, baseUrl = "", token }: ChatOptions): ChatTransportOptions {
  const root = baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl;
  return {
    api: `${root}/v1/ai-sdk/agents/${encodeURIComponent(agentId)}/runs`,
    ...(token !== undefined && {
      headers: async () => ({ authorization: `Bearer ${typeof token === "function" ? await token() : token}` }),
    }),
    prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
      body: { ...body, id, messages: messages.slice(-1), trigger, messageId },
    }),
  };
}
