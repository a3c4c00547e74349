import type { Chat, ChatState, Client, ClientMessage } from "./client.ts";

export interface Page {
  readonly chat: Chat;
  readonly errors: readonly string[];
  /** Waits until the page has nothing to read and nothing to send. */
  ready(): Promise<void>;
}

/** A page with the official chat, as a framework would hold it. It sends by itself when everything is answered. */
export function openPage(client: Client, answer: typeof fetch, messages: readonly ClientMessage[] = []): Page {
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
    id: "thread-1",
    state,
    transport: new client.DefaultChatTransport({ api: "http://127.0.0.1/runs", fetch: answer }),
    onError: (error) => void errors.push(error.message),
    sendAutomaticallyWhen: (options) =>
      client.lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      client.lastAssistantMessageIsCompleteWithToolCalls(options),
  });
  const ready = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 30; turns += 1) {
      if (turns > 5_000) throw new Error(`The page is still ${chat.status}.`);
      await new Promise((resolve) => setImmediate(resolve));
      quiet = chat.status === "ready" || chat.status === "error" ? quiet + 1 : 0;
    }
  };
  return { chat, errors, ready };
}
