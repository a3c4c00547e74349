import type { ContentPart, Message, ToolCallRequest } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { Corpus } from "./corpus.ts";

/** Messages of every role and shape, full of hostile values. */
export function makeMessages(corpus: Corpus, prefix: string, count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => makeMessage(corpus, `${prefix}-m${index}`, index));
}

function makeMessage(corpus: Corpus, id: string, index: number): Message {
  const extra = {
    ...(index % 3 === 0 ? { metadata: { run_id: corpus.text(), extra: corpus.json(), ...corpus.record() } } : {}),
    ...(index % 7 === 0 ? { visibility: "internal" as const } : {}),
  };
  switch (index % 4) {
    case 0:
      return { id, role: "user", content: corpus.text(), ...extra };
    case 1:
      return { id, role: "assistant", content: makeParts(corpus), ...extra };
    case 2:
      return { id, role: "assistant", content: corpus.text(), tool_calls: makeCalls(corpus, id), ...extra };
    default:
      return { id, role: "tool", content: JSON.stringify(corpus.json()), tool_call_id: corpus.text(), ...extra };
  }
}

function makeParts(corpus: Corpus): readonly ContentPart[] {
  return [
    { type: "text", text: corpus.text() },
    { type: "reasoning", text: corpus.text(), encrypted: corpus.text(), provider: "p" },
    { type: "file", url: corpus.text(), filename: corpus.text(), media_type: "text/plain" },
  ];
}

function makeCalls(corpus: Corpus, id: string): readonly ToolCallRequest[] {
  return [
    { id: `${id}-c0`, name: corpus.text(), arguments: corpus.json(), provider_call_id: corpus.text() },
    { id: `${id}-c1`, name: "tool", arguments: corpus.record() },
  ];
}

/** The long texts of a message, as a model would have streamed them. */
export function streamedTexts({ content }: Message): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((part) => (part.type === "text" || part.type === "reasoning" ? [part.text] : []));
}

/** Everything of a message but its id, as one value: `content` as it is, the rest in a fixed order. */
export function messageValue({ id, role, content, tool_calls, tool_call_id, visibility, metadata }: Message): Json {
  const rest = [tool_calls ?? null, tool_call_id ?? null, visibility ?? null, metadata ?? null];
  // What messages hold is JSON; their interfaces hide it from the compiler.
  return [id, role, content, ...rest] as unknown as Json;
}
