import type {
  AgentSpec,
  Decision,
  MailboxEntry,
  Message,
  Phase,
  RunRecord,
  RunRequest,
  ToolCallRecord,
  ToolDescriptor,
} from "@reprise/contracts";
import type { Json, Path, StateScope } from "@reprise/state";
import type { Restore } from "../loop/compose-start.ts";
import type { CommittedChangeset } from "./read-changesets.ts";

/** The form of an exported run; a reader refuses any other. */
export const RECORDING_FORMAT = "reprise-run/1";

/** A plugin as far as a replay has to know it: what it takes part in, and nothing of what it does. */
export interface RecordedPlugin {
  readonly id: string;
  readonly hooks: readonly Phase[];
  readonly states: readonly { readonly name: string; readonly path: Path; readonly scope: StateScope }[];
  readonly scheduled: { readonly [key: string]: Phase };
  readonly effects: readonly string[];
  readonly is_activated: boolean;
}

/** The shape of an agent, without its words, its settings and its code. */
export interface RecordedDefinition {
  /** The hash a run pins. */
  readonly definition: string;
  readonly spec: AgentSpec;
  readonly tools: readonly ToolDescriptor[];
  readonly plugins: readonly RecordedPlugin[];
  readonly stop_policies: readonly { readonly id: string; readonly needs_history: boolean }[];
}

/**
 * Everything a replay of one run needs, as one JSON value. Blobs are named and not held; models' keys, prompts and plugin settings are
 * not in it.
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
  };
  /** The waiting run this one took the place of. */
  readonly closing?: { readonly run: RunRecord; readonly calls: readonly ToolCallRecord[] };
  /** What the run went back to before it began. */
  readonly restore?: Restore;
  /** From the run's first to its last; changes from outside that came in between are among them. */
  readonly changesets: readonly CommittedChangeset[];
  readonly decisions: readonly Decision[];
  /** Entries whose messages went into the run. */
  readonly steering: readonly MailboxEntry[];
  readonly definition: RecordedDefinition;
}
