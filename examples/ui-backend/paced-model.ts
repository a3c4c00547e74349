import { setTimeout as sleep } from "node:timers/promises";
import { type LanguageModel, type Message, type ScriptTurn, scriptedModel, textOf } from "reprise";
import type { ModelChunk } from "reprise/advanced";

const PAUSE_MS = 12;

/** Stands in for a model, so that the pages need no key: `play` answers to the messages, and the words come one by one. */
export function pacedModel(play: (messages: readonly Message[]) => ScriptTurn, id: string): LanguageModel {
  const script = scriptedModel(
    ({ messages }) => play(messages.filter(({ visibility }) => visibility !== "internal")),
    id,
  );
  return {
    id,
    async *stream(request) {
      for await (const chunk of script.stream(request)) yield* paced(chunk);
    },
  };
}

async function* paced(chunk: ModelChunk): AsyncGenerator<ModelChunk> {
  if (chunk.type !== "text_delta") return yield chunk;
  for (const delta of chunk.delta.match(/\S+\s*|\s+/g) ?? []) {
    await sleep(PAUSE_MS);
    yield { type: "text_delta", delta };
  }
}

export function isToolResult(message: Message | undefined): boolean {
  return message?.role === "tool";
}

export function wordsOf(message: Message | undefined): string {
  return message === undefined ? "" : textOf(message);
}

/** The calls that the model made since the person last said something. */
export function callsSince(messages: readonly Message[]): readonly string[] {
  const from = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(from + 1).flatMap(({ tool_calls = [] }) => tool_calls.map(({ name }) => name));
}

/** The words of the person that are answered now. */
export function requestOf(messages: readonly Message[]): string {
  return wordsOf(messages.findLast(({ role }) => role === "user"));
}
