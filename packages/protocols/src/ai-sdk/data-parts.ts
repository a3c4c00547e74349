import type { AgentEvent, EventData } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import type { FileUrl } from "../chat/file-url.ts";
import type { UiChunk } from "./ui-chunk.ts";

type DataEvent = Extract<
  AgentEvent,
  {
    type: "reasoning_encrypted_value" | "inference_complete" | "state_delta" | "activity_snapshot" | "agent_handoff";
  }
>;

/**
 * Facts as data parts. What describes a moment is transient: it would be sent back with every later request, and make no sense by then.
 * What describes how things stand has an id, and the newest stays.
 */
export function dataChunks(event: DataEvent, fileUrl: FileUrl): readonly UiChunk[] {
  switch (event.type) {
    case "reasoning_encrypted_value":
      return [moment("reasoning-encrypted", { encryptedValue: event.data.encrypted_value })];
    case "inference_complete": {
      const { model, usage, duration_ms } = event.data;
      // A usage is plain numbers by name.
      const spent = usage === undefined ? {} : { usage: { ...usage } as Json };
      return [moment("inference-complete", { model, ...spent, durationMs: duration_ms })];
    }
    case "state_delta":
      // An operation of JSON Patch is plain JSON.
      return [moment("state-delta", { delta: event.data.delta as unknown as Json })];
    case "activity_snapshot":
      return [activity(event.data), ...nativeParts(event.data, fileUrl)];
    case "agent_handoff": {
      const { from, to, number } = event.data;
      return [{ type: "data-agent-handoff", id: `${event.run_id}-handoff-${number}`, data: { from, to, number } }];
    }
    default:
      return event satisfies never;
  }
}

function moment(name: string, data: Json): UiChunk {
  return { type: `data-${name}`, data, transient: true };
}

function activity({ message_id, activity_type, content, replace }: EventData["activity_snapshot"]): UiChunk {
  return {
    type: "data-activity-snapshot",
    id: message_id,
    data: { messageId: message_id, activityType: activity_type, content, replace: replace ?? true },
  };
}

/** Activities that clients have a part for. One that lacks what the part needs stays an activity. */
function nativeParts(
  { message_id, activity_type, content }: EventData["activity_snapshot"],
  fileUrl: FileUrl,
): readonly UiChunk[] {
  const read = (...names: readonly string[]): string | undefined =>
    names.map((name) => getAt(content, [name])).find((value) => typeof value === "string");
  const [url, title, filename] = [read("url"), read("title"), read("filename")];
  const mediaType = read("mediaType", "media_type");
  const sourceId = read("sourceId", "source_id") ?? message_id;
  switch (activity_type) {
    case "reasoning": {
      const delta = typeof content === "string" ? content : read("text");
      const id = `reasoning_activity_${message_id}`;
      if (delta === undefined) return [];
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta },
        { type: "reasoning-end", id },
      ];
    }
    case "source-url":
      return url === undefined ? [] : [{ type: "source-url", sourceId, url, ...(title !== undefined && { title }) }];
    case "source-document":
      if (mediaType === undefined || title === undefined) return [];
      return [{ type: "source-document", sourceId, mediaType, title, ...(filename !== undefined && { filename }) }];
    case "file":
      return url === undefined || mediaType === undefined ? [] : [{ type: "file", url: fileUrl(url), mediaType }];
    default:
      return [];
  }
}
