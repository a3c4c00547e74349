import { setTimeout as sleep } from "node:timers/promises";
import { type LanguageModel, type ModelChunk, ModelError, type ModelProvider, notFound } from "@reprise/contracts";
import { readConversation } from "./conversation.ts";
import { DEMO_SCRIPTS, type DemoScript } from "./demo-scripts.ts";

/** The demonstration's models, which need no key: one a script. `wordMs` is how long a word takes. */
export function demoProvider(id: string, { wordMs }: { readonly wordMs: number }): ModelProvider {
  return {
    id,
    model(name): LanguageModel {
      const script = Object.hasOwn(DEMO_SCRIPTS, name) ? DEMO_SCRIPTS[name] : undefined;
      if (script === undefined)
        throw notFound("MODEL_NOT_FOUND", "demonstration model", name, Object.keys(DEMO_SCRIPTS));
      return { id: `${id}/${name}`, stream: (request) => speak(script, request, wordMs) };
    },
  };
}

async function* speak(
  script: DemoScript,
  request: Parameters<LanguageModel["stream"]>[0],
  wordMs: number,
): AsyncGenerator<ModelChunk> {
  const { text, calls } = script(readConversation(request));
  const words = text.match(/\S+\s*/g) ?? [];
  for (const delta of words) {
    yield { type: "text_delta", delta };
    if (wordMs > 0) await pause(wordMs, request.signal);
  }
  for (const [index, { tool, arguments: input }] of calls.entries()) {
    const [id, json] = [`call_${index + 1}`, JSON.stringify(input)];
    yield { type: "tool_call_start", id, name: tool };
    yield { type: "tool_call_delta", id, args_delta: json };
    yield { type: "tool_call_ready", id, name: tool, arguments: json };
  }
  const usage = { prompt_tokens: request.messages.length, completion_tokens: words.length };
  yield { type: "finish", stop_reason: calls.length > 0 ? "tool_use" : "end_turn", usage };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    throw new ModelError("cancelled", "The model call was cancelled.", { cause: error });
  }
}
