import { type Message, type RunRecord, textOf } from "@reprise/contracts";

/** A task in the flat shape of the clients that speak no version of the specification. */
export interface PlainTask {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: string;
  readonly origin: string;
  readonly terminationCode: string | null;
  readonly terminationDetail: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The latest answer. */
  readonly message: { readonly role: "assistant"; readonly content: string } | null;
  readonly artifacts: readonly { readonly content: string }[];
  /** The messages of the thread that clients may see, in their order. */
  readonly history: readonly { readonly role: string; readonly content: string }[];
}

/** `messages` are those of the thread. */
export function encodePlainTask(run: RunRecord, messages: readonly Message[]): PlainTask {
  const shown = messages.filter(({ role, visibility }) => visibility === undefined && role !== "tool");
  const answer = shown.filter((message) => message.role === "assistant" && textOf(message) !== "").at(-1);
  const content = answer === undefined ? undefined : textOf(answer);
  return {
    taskId: run.run_id,
    contextId: run.thread_id,
    status: run.status,
    origin: run.origin,
    terminationCode: run.termination_code ?? null,
    terminationDetail: run.termination_detail ?? null,
    createdAt: run.created_at,
    updatedAt: run.updated_at,
    message: content === undefined ? null : { role: "assistant", content },
    artifacts: content === undefined ? [] : [{ content }],
    history: shown.map((message) => ({ role: message.role, content: textOf(message) })),
  };
}
