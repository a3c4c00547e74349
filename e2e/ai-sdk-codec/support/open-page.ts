import type { Chat, ChatState, Client, ClientMessage } from "./client.ts";

export interface Page {
  readonly chat: Chat;
  readonly errors: readonly string[];
  /** Waits until the page has nothing to read and nothing to send. */
  ready(): Promise<void>;
}

/** Which chat a page shows, and where it is. */
export interface Place {
  readonly id: string;
  readonly api: string;
}

const ANYWHERE: Place = { id: "thread-1", api: "http://127.0.0.1/runs" };

/** A page with the official chat, as a framework would hold it. It sends by itself when everything is answered. */
export function openPage(
  client: Client,
  answer: typeof fetch,
  messages: readonly ClientMessage[] = [],
  { id, api }: Place = ANYWHERE,
): Page {
  const errors: string[] = [];
  const state: ChatState = {
    status: "ready",
    error: undefined,
    messages: [...messages],
    pushMessage(message) {
      state.messages = [...state.messages, message];
    },
    popMessage() {
      state.messages = state.messages.slice(0, -1);
    },
    replaceMessage(index, message) {
      state.messages = state.messages.with(index, structuredClone(message));
    },
    snapshot: (value) => structuredClone(value),
  };
  const chat = new client.AbstractChat({
    id,
    state,
    transport: new client.DefaultChatTransport({ api, fetch: answer }),
    onError: (error) => void errors.push(error.message),
    sendAutomaticallyWhen: (options) =>
      client.lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      client.lastAssistantMessageIsCompleteWithToolCalls(options),
  });
  const ready = async (): Promise<void> => {
    const end = Date.now() + 20_000;
    for (let quiet = 0; quiet < 30; ) {
      if (Date.now() > end) throw new Error(`The page is still ${chat.status}.`);
      await new Promise((resolve) => setImmediate(resolve));
      quiet = chat.status === "ready" || chat.status === "error" ? quiet + 1 : 0;
    }
  };
  return { chat, errors, ready };
}
