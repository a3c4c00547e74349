import type { ThreadRows } from "../../kernel/demand.ts";

/** What is known of a thread that is not there. */
export const NO_ROWS: ThreadRows = {
  retired_epoch: 0,
  known_versions: new Map(),
  message_ids: [],
  runs: [],
  calls: [],
  decisions: [],
  entries: [],
  queue: { next_at: null, next_continue_at: null },
};
