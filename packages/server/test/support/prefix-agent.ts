import { type LanguageModel, type ModelChunk, type ModelRequest, suspendTool } from "@reprise/contracts";
import { type ScriptTurn, scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";

/** Asks the client for words, and works with them as its result. */
const ask = defineTool({
  id: "ask",
  description: "Asks the client.",
  execute: () =>
    suspendTool({ action: "input", message: "More input is required.", resumeMode: "use_decision_as_tool_result" }),
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What the agent does with a message, by the start of the message's id. These are the words of the official suite (a2a-tck). */
const BEHAVIOURS: Readonly<Record<string, ScriptTurn>> = {
  "tck-complete-task": "Hello from TCK",
  "tck-artifact-text": "Generated text content",
  "tck-artifact-file": [{ file: `data:text/plain;base64,${base64("tck")}`, mediaType: "text/plain" }],
  "tck-artifact-file-url": [{ file: "https://example.com/output.txt", mediaType: "text/plain" }],
  "tck-artifact-data": [
    {
      file: `data:application/json;base64,${base64(JSON.stringify({ key: "value", count: 42 }))}`,
      mediaType: "application/json",
    },
  ],
  "tck-message-response": "Direct message response",
  "tck-input-required": [{ call: "ask" }],
  "tck-reject-task": "rejected",
  "tck-stream-artifact-chunked": [{ text: ["chunk-1 ", "chunk-2"] }],
  release: "Released.",
};

function turnOf({ messages }: ModelRequest): ScriptTurn {
  const last = messages.at(-1);
  if (last?.role === "tool") return "Thank you.";
  const prefixes = Object.keys(BEHAVIOURS).sort((one, other) => other.length - one.length);
  const found = prefixes.find((prefix) => last?.id.startsWith(prefix));
  return found === undefined ? "Hello from TCK" : (BEHAVIOURS[found] ?? "");
}

/** Writes slowly for messages `tck-delayed-complete` and `test-resubscribe-message-id`: the rest comes when a message `release` does. */
function slowModel(): LanguageModel {
  const others = scriptedModel(turnOf);
  let released = Promise.withResolvers<void>();
  return {
    id: "prefixes",
    async *stream(request): AsyncGenerator<ModelChunk> {
      const { id = "" } = request.messages.at(-1) ?? {};
      if (id.startsWith("release")) {
        released.resolve();
        released = Promise.withResolvers();
      }
      if (!/^(?:tck-delayed-complete|test-resubscribe-message-id)/.test(id)) return yield* others.stream(request);
      yield { type: "text_delta", delta: "Working" };
      await released.promise;
      yield { type: "text_delta", delta: ", done." };
      yield { type: "finish", stop_reason: "end_turn" };
    },
  };
}

/** A test-only agent that does what the id of a message says. */
export function prefixAgent(): Agent {
  return defineAgent({
    id: "prefixes",
    model: slowModel(),
    tools: [ask],
    stopWhen: {
      id: "rejects",
      evaluate: ({ text }) => (text === "rejected" ? { code: "rejected", detail: "rejected" } : undefined),
    },
  });
}

/** The messages that are answered with a message instead of a task. */
export function answersWithMessage({ messageId }: { readonly messageId: string }): boolean {
  return messageId.startsWith("tck-message-response");
}
