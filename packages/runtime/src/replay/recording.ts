import type { Message, RunRecord, RunRequest, StoredChangeset, ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { Restore } from "../thread/find-restore.ts";

/** The form of an exported run; a reader refuses any other. */
export const RECORDING_FORMAT = "reprise-run/3";

/**
 * Everything a replay of one run needs, as one JSON value. Blobs that messages name are not in it, nor are models' keys and the
 * settings of plugins.
 */
export interface RunRecording {
  readonly format: typeof RECORDING_FORMAT;
  readonly tenant: string;
  readonly run: RunRecord;
  readonly request: RunRequest;
  readonly entry_id: string;
  /** The thread before the run's first commit. */
  readonly base: {
    readonly version: number;
    readonly state: Json;
    readonly messages: readonly Message[];
    readonly superseded: readonly string[];
    /** The digest of the version before the run's first. */
    readonly digest: string;
  };
  /** The waiting run this one took the place of. */
  readonly closing?: { readonly run: RunRecord; readonly calls: readonly ToolCallRecord[] };
  /** What the run went back to before it began. */
  readonly restore?: Restore;
  /** From the run's first to its last; changes from outside that came in between are among them. */
  readonly changesets: readonly StoredChangeset[];
  /** The long texts of effects, by the blob that holds them. */
  readonly texts: { readonly [ref: string]: string };
  /** Over everything else. */
  readonly digest: string;
}

/** A recording without what may be long. */
export type RecordingHead = Omit<RunRecording, "base" | "changesets" | "texts" | "digest"> & {
  readonly base: Omit<RunRecording["base"], "messages">;
};
