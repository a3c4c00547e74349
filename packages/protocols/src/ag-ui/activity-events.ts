import type { EventData } from "@reprise/contracts";
import { diff, type Json, toJsonPatch } from "@reprise/state";
import type { FileUrl } from "../chat/file-url.ts";
import type { AgUiEncoded, AgUiState } from "./encoder-state.ts";

type Content = { readonly [key: string]: Json };

/** An activity as a whole the first time, and as a patch from then on. */
export function showActivity(
  state: AgUiState,
  { message_id: messageId, activity_type: activityType, content, replace }: EventData["activity_snapshot"],
  fileUrl: FileUrl,
): AgUiEncoded {
  const shown = withFileUrl(contentOf(content), fileUrl);
  const before = Object.hasOwn(state.activities, messageId) ? state.activities[messageId] : undefined;
  const next = { ...state, activities: { ...state.activities, [messageId]: shown } };
  if (before === undefined || replace === false) {
    const kept = replace === undefined ? {} : { replace };
    return [next, [{ type: "ACTIVITY_SNAPSHOT", messageId, activityType, content: shown, ...kept }]];
  }
  const patch = toJsonPatch(before, { ops: diff(before, shown) });
  return [next, patch.length === 0 ? [] : [{ type: "ACTIVITY_DELTA", messageId, activityType, patch }]];
}

/** Clients take objects only. */
function contentOf(content: Json): Content {
  const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
  return isObject ? (content as Content) : { value: content };
}

function withFileUrl(content: Content, fileUrl: FileUrl): Content {
  return typeof content.url === "string" ? { ...content, url: fileUrl(content.url) } : content;
}
