import type { RunStatus } from "../lifecycle/run-lifecycle.ts";
import type { ToolCallStatus } from "../lifecycle/tool-call-lifecycle.ts";
import type { Message } from "../message/message.ts";
import type { RunOrigin } from "../run/run-record.ts";
import type { SnakeCased } from "../shape/stored-names.ts";
import type { EntryStatus } from "./mailbox.ts";

/** Lists are cut: 1 to 200 items, 50 unless asked. */
export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

export function clampLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_LIMIT);
}

/** A cursor is a message's position in its thread, from 0; `after` and `before` leave it out. */
export interface MessageFilter {
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
  readonly order?: "asc" | "desc";
  /** Only shown messages unless `any`. */
  readonly visibility?: "all" | "internal" | "any";
  /** Only messages that this run's commits brought. */
  readonly runId?: string;
  readonly includeSuperseded?: boolean;
}

/** A `MessageFilter` as stores read it. */
export interface MessageQuery extends SnakeCased<MessageFilter> {}

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

export interface ThreadFilter extends OffsetQuery {
  readonly resourceId?: string;
  readonly parentThreadId?: string;
}

/** A `ThreadFilter` as stores read it. */
export interface ThreadQuery extends SnakeCased<ThreadFilter> {}

/** Newest first. Times are inclusive, in milliseconds. */
export interface RunFilter extends OffsetQuery {
  readonly threadId?: string;
  readonly parentRunId?: string;
  readonly agentId?: string;
  readonly status?: RunStatus;
  readonly origin?: RunOrigin;
  readonly terminationCode?: string;
  readonly createdAtFrom?: number;
  readonly createdAtTo?: number;
  readonly updatedAtFrom?: number;
  readonly updatedAtTo?: number;
}

/** A `RunFilter` as stores read it. */
export interface RunQuery extends SnakeCased<RunFilter> {}

export interface CallFilter extends OffsetQuery {
  readonly threadId?: string;
  readonly runId?: string;
  readonly status?: ToolCallStatus;
  /** Only calls that are not over. */
  readonly isOpen?: true;
  /** The id that suspended calls have outside (`ticket.pending.id`). Only with the status `suspended`. */
  readonly pending_id?: string;
}

/** A `CallFilter` as stores read it. */
export interface CallQuery extends SnakeCased<CallFilter> {}

export interface EntryFilter extends OffsetQuery {
  readonly threadId?: string;
  readonly runId?: string;
  readonly status?: EntryStatus;
}

/** A `EntryFilter` as stores read it. */
export interface EntryQuery extends SnakeCased<EntryFilter> {}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly has_more: boolean;
}
