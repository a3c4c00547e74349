import type { ContentPart, FilePart, Message } from "@reprise/contracts";
import type { FileUrl } from "../chat/file-url.ts";
import { readToolResult, toolOutput } from "../chat/tool-output.ts";
import type { AgUiMessage, AgUiPart } from "./ag-ui-message.ts";
import { reasoningIdOf } from "./message-events.ts";

/**
 * A thread as a client that was not there has it: the same messages, under the same ids, that the streams of its runs would have made.
 * Activities are only in the streams.
 */
export function encodeAgUiHistory(
  messages: readonly Message[],
  fileUrl: FileUrl = (url) => url,
): readonly AgUiMessage[] {
  const tools = new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id, name }) => [id, name])));
  return messages.flatMap((message): readonly AgUiMessage[] => {
    if (message.visibility === "internal") return [];
    switch (message.role) {
      case "user":
        return [{ id: message.id, role: "user", content: contentOf(message, fileUrl) }];
      case "assistant":
        return answerOf(message);
      case "tool": {
        const { id, tool_call_id: toolCallId } = message;
        if (toolCallId === undefined) return [];
        const result = readToolResult(tools.get(toolCallId) ?? "", message);
        return [{ id, role: "tool", toolCallId, content: JSON.stringify(toolOutput(result)) }];
      }
      case "system":
        return [];
      default:
        return message.role satisfies never;
    }
  });
}

function partsOf({ content }: Message): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function answerOf(message: Message): readonly AgUiMessage[] {
  const { id, tool_calls = [] } = message;
  const parts = partsOf(message);
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const thoughts = parts.flatMap((part) => (part.type === "reasoning" ? [part] : []));
  const thought = thoughts.map((part) => part.text).join("");
  const encrypted = thoughts.findLast((part) => part.encrypted !== undefined)?.encrypted;
  const toolCalls = tool_calls.map((call) => ({
    id: call.id,
    type: "function" as const,
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const reasoning: AgUiMessage = {
    id: reasoningIdOf(id),
    role: "reasoning",
    content: thought,
    ...(encrypted !== undefined && { encryptedValue: encrypted }),
  };
  return [
    ...(thought === "" ? [] : [reasoning]),
    {
      id,
      role: "assistant",
      ...(text !== "" && { content: text }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
  ];
}

function contentOf(message: Message, fileUrl: FileUrl): string | readonly AgUiPart[] {
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part): readonly AgUiPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    return part.type === "reasoning" ? [] : [mediaPart(part, fileUrl)];
  });
}

function mediaPart({ type, url, media_type }: FilePart, fileUrl: FileUrl): AgUiPart {
  const [kind] = (media_type ?? "").split("/");
  const word =
    type === "image" || kind === "image" ? "image" : kind === "audio" || kind === "video" ? kind : "document";
  const source = {
    type: "url",
    value: fileUrl(url),
    ...(media_type !== undefined && { mimeType: media_type }),
  } as const;
  return { type: word, source };
}
