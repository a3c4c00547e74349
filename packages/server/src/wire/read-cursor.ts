import { type EventCursor, parseCursor } from "@reprise/contracts";
import { badRequest } from "../http/http-refusal.ts";
import type { Query } from "../http/query.ts";

/** Where a reader continues: what a browser sends by itself when it comes back, or `after` in the query. */
export function readCursor(headers: Headers, query: Query): EventCursor | undefined {
  const text = utf8Of(headers.get("last-event-id") ?? "") || query.text("after");
  if (text === undefined) return undefined;
  const cursor = parseCursor(text);
  if (cursor === undefined) throw badRequest("Last-Event-ID is not the id of an event");
  return cursor;
}

/** A header's bytes come as one character each; an id may hold any character, and browsers send it as UTF-8. */
function utf8Of(header: string): string {
  if (!/[\u0080-\u00ff]/.test(header)) return header;
  return new TextDecoder().decode(Uint8Array.from(header, (character) => character.charCodeAt(0)));
}
