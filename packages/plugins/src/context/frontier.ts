import { type Message, textOf } from "@reprise/contracts";
import type { Boundary, Incident } from "./compaction-state.ts";

/**
 * How many of the first messages may be summarised: at most `limit`, and never so that a call is separated from one of its results. A call
 * without a result waits for a decision or is under way, so everything from it on stays.
 */
export function findFrontier(messages: readonly Message[], limit: number): number {
  const lastUse = findLastUses(messages);
  const open = new Set<string>();
  let frontier = 0;
  for (const [index, { tool_calls, tool_call_id }] of messages.entries()) {
    if (index >= limit) break;
    for (const { id } of tool_calls ?? []) open.add(id);
    if (tool_call_id !== undefined && lastUse.get(tool_call_id) === index) open.delete(tool_call_id);
    const isResultNext = messages[index + 1]?.role === "tool";
    if (open.size === 0 && !isResultNext) frontier = index + 1;
  }
  return frontier;
}

/** By call, the index of its last result. */
function findLastUses(messages: readonly Message[]): ReadonlyMap<string, number> {
  return new Map(
    messages.flatMap(({ tool_call_id }, index) => (tool_call_id === undefined ? [] : [[tool_call_id, index]])),
  );
}

/** How many messages a boundary covers; 0 when its last message is no longer part of the thread. */
export function countCovered(messages: readonly Message[], boundary: Boundary | undefined): number {
  return boundary === undefined ? 0 : messages.findIndex(({ id }) => id === boundary.covers_through_message_id) + 1;
}

/** Covered messages that are sent all the same: system messages, pinned ones, and the user's last words when the user said nothing since. */
export function keptOf(
  messages: readonly Message[],
  covered: number,
  pinned: readonly string[] = [],
): readonly Message[] {
  const said = messages.findLastIndex(({ role, visibility }) => role === "user" && visibility !== "internal");
  return messages.filter(
    (message, index) => index < covered && (message.role === "system" || index === said || pinned.includes(message.id)),
  );
}

/** Links beyond these are counted, not kept: a thread must not grow without end. Blobs, files and named evidence always are. */
const MOST_LINKS = 5_000;
const REFERENCE = /\b(?:blob:|media:)[A-Za-z0-9_\-/]{8,}/g;
const LINK = /https?:\/\/[^\s"'<>`)\]}\\]+/g;
/** Metadata of messages that names evidence. */
const EVIDENCE_FIELDS = ["evidence_refs", "artifact_refs"] as const;

/** The references in summarised messages. */
export interface Evidence {
  readonly evidence: readonly string[];
  readonly more_links: number;
}

export function isLink(ref: string): boolean {
  return ref.startsWith("http");
}

/** Gathers what messages refer to, after what earlier ones did. */
export function gatherEvidence(messages: readonly Message[], earlier: Evidence | undefined): Evidence {
  const all = new Set(earlier?.evidence);
  for (const message of messages) {
    const text = textOf(message);
    for (const [ref] of text.matchAll(REFERENCE)) all.add(ref);
    for (const [link] of text.matchAll(LINK)) all.add(link);
    for (const url of fileUrls(message)) all.add(url);
    for (const ref of namedEvidence(message)) all.add(ref);
  }
  const links = [...all].filter(isLink);
  const dropped = new Set(links.slice(0, Math.max(links.length - MOST_LINKS, 0)));
  return {
    evidence: [...all].filter((ref) => !dropped.has(ref)),
    more_links: (earlier?.more_links ?? 0) + dropped.size,
  };
}

function fileUrls({ content }: Message): readonly string[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => ("url" in part && !part.url.startsWith("data:") ? [part.url] : []));
}

function namedEvidence({ metadata }: Message): readonly string[] {
  const lists = EVIDENCE_FIELDS.map((field) => metadata?.[field]);
  return lists.flatMap((list) => (Array.isArray(list) ? list.filter((ref) => typeof ref === "string") : []));
}

const PROBLEM_CHARACTERS = 200;

/** Calls that failed among the first `covered` messages, or before, and whose tool has not succeeded since. */
export function findIncidents(
  messages: readonly Message[],
  covered: number,
  earlier: readonly Incident[] = [],
): readonly Incident[] {
  const open = new Map(earlier.map((incident) => [incident.call_id, incident]));
  for (const [index, message] of messages.entries()) {
    if (message.role !== "tool") continue;
    const tool = String(message.metadata?.tool_name ?? "");
    const status = message.metadata?.status;
    if (status === "success") for (const [id, incident] of open) if (incident.tool === tool) open.delete(id);
    if (status !== "error" || index >= covered || message.tool_call_id === undefined) continue;
    const problem = textOf(message).slice(0, PROBLEM_CHARACTERS).toWellFormed();
    open.set(message.tool_call_id, { tool, call_id: message.tool_call_id, problem });
  }
  return [...open.values()];
}
