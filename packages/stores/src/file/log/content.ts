import type { SealedChangeset } from "../../codec/sealed-changeset.ts";
import { STORED_FORMAT } from "../../codec/stored-text.ts";

/** The texts of a changeset. Of one that is pruned only the messages are left. */
export interface ChangesetContent {
  readonly format: number;
  readonly messages: readonly string[];
  readonly segments?: readonly string[];
  readonly patches?: string;
  readonly body?: string;
}

export interface SnapshotContent {
  readonly format: number;
  readonly state: string;
}

/** One item of a line's content. */
export type Content = ChangesetContent | SnapshotContent;

export function contentOf({ messages, segments, patches, body }: SealedChangeset): ChangesetContent {
  return {
    format: STORED_FORMAT,
    messages: messages.map((message) => message.body),
    ...(segments.length === 0 ? {} : { segments: segments.map((segment) => segment.body) }),
    ...(patches === "" ? {} : { patches }),
    body,
  };
}

/** What is left of a changeset's texts when it is pruned. */
export function pruneContent({ format, messages }: ChangesetContent): ChangesetContent {
  return { format, messages };
}

export function encodeContent(items: readonly Content[]): string | undefined {
  return items.length === 0 ? undefined : JSON.stringify(items);
}

export function decodeContent(content: Buffer): readonly Content[] {
  // Written by `encodeContent`, and the checksum says that it is as it was written. All keys in it are ours.
  return JSON.parse(content.toString("utf8")) as readonly Content[];
}
