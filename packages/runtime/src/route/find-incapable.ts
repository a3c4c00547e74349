import type { Message, Modality, ModelRequest } from "@reprise/contracts";
import type { RouteEntry } from "./route-entry.ts";

/** What a request asks of a model beside text. */
export function requirementsOf({ messages }: Pick<ModelRequest, "messages">): readonly Modality[] {
  const needed = new Set<Modality>();
  for (const { content } of messages) if (typeof content !== "string") addModalities(content, needed);
  return [...needed];
}

function addModalities(content: Exclude<Message["content"], string>, needed: Set<Modality>): void {
  for (const part of content) {
    if (part.type === "image") needed.add("image");
    if (part.type === "file") needed.add(modalityOf(part.media_type ?? ""));
  }
}

function modalityOf(mediaType: string): Modality {
  for (const kind of ["image", "audio", "video"] as const) if (mediaType.startsWith(`${kind}/`)) return kind;
  return mediaType === "application/pdf" ? "pdf" : "text";
}

/** What an entry is known not to take. One that nobody described is believed to take everything. */
export function findIncapable({ spec }: RouteEntry, needed: readonly Modality[]): readonly Modality[] {
  const taken = spec?.modalities?.input;
  return taken === undefined ? [] : needed.filter((modality) => !taken.includes(modality));
}
