import type { RunStatus } from "../lifecycle/run-lifecycle.ts";
import type { ToolCallStatus } from "../lifecycle/tool-call-lifecycle.ts";
import type { Message } from "../message/message.ts";
import type { RunOrigin } from "../run/run-record.ts";
import type { EntryStatus } from "./mailbox.ts";

/** Lists are cut: 1 to 200 items, 50 unless asked. */
export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

export function clampLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_LIMIT);
}

/** A cursor is a message's position in its thread, from 0; `after` and `before` leave it out. */
export interface MessageQuery {
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
  readonly order?: "asc" | "desc";
  /** Only shown messages unless `any`. */
  readonly visibility?: "all" | "internal" | "any";
  /** Only messages that this run's commits brought. */
  readonly run_id?: string;
  readonly include_superseded?: boolean;
}

export interface MessagePage {
  readonly messages: readonly (Message & { readonly cursor: number })[];
  /** Whether there are more in the direction of reading. */
  readonly has_more: boolean;
  /** The cursor of the page's last message, to read on from: as `after` in order `asc`, as `before` in order `desc`. */
  readonly next_cursor?: number;
  /** The cursor of the page's first message. */
  readonly prev_cursor?: number;
}

export interface OffsetQuery {
  readonly offset?: number;
  readonly limit?: number;
}

export interface ThreadQuery extends OffsetQuery {
  readonly resource_id?: string;
  readonly parent_thread_id?: string;
}

/** Newest first. Times are inclusive, in milliseconds. */
export interface RunQuery extends OffsetQuery {
  readonly thread_id?: string;
  readonly parent_run_id?: string;
  readonly agent_id?: string;
  readonly status?: RunStatus;
  readonly origin?: RunOrigin;
  readonly termination_code?: string;
  readonly created_at_from?: number;
  readonly created_at_to?: number;
  readonly updated_at_from?: number;
  readonly updated_at_to?: number;
}

export interface CallQuery extends OffsetQuery {
  readonly thread_id?: string;
  readonly run_id?: string;
  readonly status?: ToolCallStatus;
  /** The id that suspended calls have outside (`ticket.pending.id`). Only with the status `suspended`. */
  readonly pending_id?: string;
}

export interface EntryQuery extends OffsetQuery {
  readonly thread_id?: string;
  readonly run_id?: string;
  readonly status?: EntryStatus;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly has_more: boolean;
}
