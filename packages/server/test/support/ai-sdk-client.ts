import type { OpenDemo } from "./open-demo.ts";

/** A chunk of the UI message stream. */
export interface Chunk {
  readonly type: string;
  readonly [key: string]: unknown;
}

export const RUNS = "/v1/ai-sdk/agents/assistant/runs";

/** What a stock client sends when its user says something. */
export function uiSays(text: string, more: { readonly id?: string; readonly messageId?: string } = {}): object {
  const { id = "u1", ...rest } = more;
  return { id: "t", messages: [{ id, role: "user", parts: [{ type: "text", text }] }], ...rest };
}

/** The chunks of a response, and whether it ended as a whole one does. */
export function readChunks(text: string): { readonly chunks: readonly Chunk[]; readonly isWhole: boolean } {
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, body = ""]) => body);
  return {
    chunks: data.filter((body) => body !== "[DONE]").map((body) => JSON.parse(body)),
    isWhole: data.at(-1) === "[DONE]",
  };
}

export async function sendChunks(demo: Pick<OpenDemo, "post">, body: object): Promise<readonly Chunk[]> {
  const response = await demo.post(RUNS, body);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return readChunks(text).chunks;
}

export function typesOf(chunks: readonly Chunk[]): readonly string[] {
  return chunks.map(({ type }) => type);
}

/** All text of a message. */
export function textIn(chunks: readonly Chunk[]): string {
  return chunks.map(({ type, delta }) => (type === "text-delta" ? String(delta) : "")).join("");
}

/** What a stock client sends once its user has answered a question: its whole message, with the answer in the call's part. */
export function uiAnswers(chunks: readonly Chunk[], approved: boolean): object {
  const start = chunks.find(({ type }) => type === "start");
  const call = chunks.find(({ type }) => type === "tool-input-available");
  const asked = chunks.find(({ type }) => type === "tool-approval-request");
  const approval = { id: asked?.approvalId, approved, descriptor: asked?.approvalDescriptor };
  const part = { type: `tool-${call?.toolName}`, toolCallId: call?.toolCallId, input: call?.input, approval };
  const message = { id: start?.messageId, role: "assistant", parts: [{ ...part, state: "approval-responded" }] };
  const user = { id: "u1", role: "user", parts: [{ type: "text", text: "pay 5" }] };
  return { id: "t", messages: [user, message], trigger: "submit-message", messageId: start?.messageId };
}
