import type { Json, TrackedPatch } from "@reprise/state";
import type { SuspendTicket } from "../decision/suspend-ticket.ts";
import type { Message } from "../message/message.ts";
import type { TokenUsage } from "../model/model.ts";
import type { Termination } from "../run/termination.ts";
import type { ToolCallOutcome, ToolResult } from "../tool/tool-result.ts";

/** What waits for a decision: published with the call's `tool_call_done`, after its commit. */
export interface SuspensionNotice {
  readonly ticket: SuspendTicket;
  readonly suspension: number;
  readonly binding_hash: string;
  readonly expires_at?: number;
}

/** An operation of JSON Patch, as clients get it. */
export interface JsonPatchData {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: Json;
}

/** Every event type with its data. Closed: a new type is a minor version of the format. */
export interface EventData {
  run_start: { readonly parent_run_id?: string };
  run_finish: { readonly result?: { readonly [key: string]: Json }; readonly termination: Termination };
  text_delta: { readonly delta: string };
  reasoning_delta: { readonly delta: string };
  reasoning_encrypted_value: { readonly encrypted_value: string };
  tool_call_start: { readonly id: string; readonly name: string };
  tool_call_delta: { readonly id: string; readonly args_delta: string };
  tool_call_ready: { readonly id: string; readonly name: string; readonly arguments: Json };
  tool_call_done: {
    readonly id: string;
    readonly result: ToolResult;
    readonly patch?: TrackedPatch;
    readonly message_id: string;
    readonly outcome: ToolCallOutcome;
    readonly suspended?: SuspensionNotice;
  };
  tool_call_resumed: { readonly target_id: string; readonly result: Json };
  tool_call_cancelled: { readonly id: string; readonly reason: string };
  /** `message_id` is the id the assistant message of this step will have. */
  step_start: { readonly message_id: string };
  step_end: Record<never, never>;
  /** The step's model attempt was restarted: what it showed so far is withdrawn. */
  step_reset: { readonly message_id: string };
  /** The tail after `from_seq` was never committed and is withdrawn. Not journaled: it has no seq. */
  stream_reset: { readonly from_seq: number };
  inference_complete: { readonly model: string; readonly usage?: TokenUsage; readonly duration_ms: number };
  state_snapshot: { readonly snapshot: Json };
  state_delta: { readonly delta: readonly JsonPatchData[] };
  messages_snapshot: { readonly messages: readonly Message[] };
  activity_snapshot: {
    readonly message_id: string;
    readonly activity_type: string;
    readonly content: Json;
    readonly replace?: boolean;
  };
  activity_delta: { readonly message_id: string; readonly activity_type: string; readonly patch: readonly Json[] };
  error: { readonly message: string; readonly code?: string };
  tool_catalog_resolved: FactData;
  context_resolved: FactData;
  compaction_started: FactData;
  compaction_completed: FactData;
  compaction_failed: FactData;
  model_routed: FactData;
  permission_evaluated: FactData;
  definition_changed: FactData;
  budget_warning: FactData;
  cost_recorded: FactData;
}

/** A fact about the run, for auditors and the studio. */
export interface FactData {
  readonly [key: string]: Json;
}

export type EventType = keyof EventData;
