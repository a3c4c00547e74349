import type { ContentPart, Message, ToolCallRecord, ToolResult } from "@reprise/contracts";
import { type Json, parseJson } from "@reprise/state";
import type { AcpContent, AcpUpdate } from "./acp-types.ts";
import { describeCall, describeResult, type KindOf } from "./tool-call.ts";

export interface AcpThread {
  /** In the order of the thread, without those that were superseded. */
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCallRecord[];
}

/** A stored thread as the updates that a client shows it with: what the stream of each run said, in whole messages. */
export function encodeAcpHistory({ messages, calls }: AcpThread, kindOf?: KindOf): readonly AcpUpdate[] {
  const records = new Map(calls.map((call) => [call.call_id, call]));
  const names = new Map<string, string>();
  return messages.flatMap((message): readonly AcpUpdate[] => {
    for (const { id, name } of message.tool_calls ?? []) names.set(id, name);
    switch (message.role) {
      case "user":
        return partsOf(message).flatMap((part) => chunkOf("user_message_chunk", message.id, part));
      case "assistant":
        return [
          ...partsOf(message).flatMap((part) => chunkOf("agent_message_chunk", message.id, part)),
          ...(message.tool_calls ?? []).map(({ id, name, arguments: asked }): AcpUpdate => {
            const record = records.get(id);
            const call = describeCall(id, name, record?.arguments ?? asked, kindOf?.(name));
            return { sessionUpdate: "tool_call", ...call, status: "pending" };
          }),
        ];
      case "tool": {
        const id = message.tool_call_id ?? "";
        const result = describeResult(id, readResult(names.get(id) ?? "", message));
        return [{ sessionUpdate: "tool_call_update", ...result }];
      }
      // Of the operator, for the model.
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

type Speaker = "user_message_chunk" | "agent_message_chunk";

function chunkOf(speaker: Speaker, messageId: string, part: ContentPart): readonly AcpUpdate[] {
  switch (part.type) {
    case "text":
      return part.text === ""
        ? []
        : [{ sessionUpdate: speaker, messageId, content: { type: "text", text: part.text } }];
    case "reasoning": {
      const content: AcpContent = { type: "text", text: part.text };
      if (part.text === "") return [];
      return [{ sessionUpdate: "agent_thought_chunk", messageId: `${messageId}-thought`, content }];
    }
    case "image":
    case "file": {
      const mimeType = part.media_type === undefined ? {} : { mimeType: part.media_type };
      const content: AcpContent = {
        type: "resource_link",
        name: part.filename ?? part.type,
        uri: part.url,
        ...mimeType,
      };
      return [{ sessionUpdate: speaker, messageId, content }];
    }
    default:
      return part satisfies never;
  }
}

/** A result as far as its message has it. Diffs and locations are only in the events. */
function readResult(tool_name: string, { content, metadata }: Message): ToolResult {
  const text = typeof content === "string" ? content : "";
  const status = metadata?.status === "error" || metadata?.status === "warning" ? metadata.status : "success";
  return { tool_name, status, data: readData(text), message: null, metadata: {} };
}

/** Data is kept as JSON, and text as it is. */
function readData(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
