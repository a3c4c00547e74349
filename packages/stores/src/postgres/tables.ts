import type { Columns } from "./table.ts";

/** The columns that are written, by table; `key` and what has a default are the database's. */

const STORED_TEXT: Columns = { format: "int2", checksum: "int4", body: "text" };

/** Where everything of a thread is filed. */
export const THREAD_KEY: Columns = { tenant: "text", thread_id: "text" };

export const THREAD: Columns = {
  ...THREAD_KEY,
  resource_id: "text",
  parent_thread_id: "text",
  version: "int8",
  created_at: "float8",
  updated_at: "float8",
  generation: "int8",
  epoch: "int8",
  claim_owner: "text",
  claim_epoch: "int8",
  claim_until: "float8",
  claim_kind: "text",
  claim_entry: "text",
  open_run_id: "text",
  recover_at: "float8",
  is_given_back: "int4",
  arrivals: "int8",
  messages: "int8",
  pruned_version: "int8",
  promised_version: "int8",
  damage: "text",
  work_rank: "int4",
  work_at: "float8",
};

export const METADATA: Columns = { format: "int2", checksum: "int4", metadata: "text" };

/** What is filed under a thread names it by its number, and until that is known by its id. */
export const UNDER_THREAD: Columns = { ...THREAD_KEY, thread_key: "int8" };

/** The same for a run of the tenant. */
export const UNDER_RUN: Columns = { tenant: "text", of_run_id: "text", run_key: "int8" };

export const CHANGESET: Columns = {
  version: "int4",
  changeset_id: "text",
  id_hash: "int4",
  run_id: "text",
  first_position: "int4",
  messages: "int4",
  segments: "text",
  ...STORED_TEXT,
  patches_checksum: "int4",
  patches: "text",
};

export const MESSAGE: Columns = {
  position: "int4",
  id: "text",
  id_hash: "int4",
  version: "int4",
  is_internal: "int2",
  ...STORED_TEXT,
};

export const RUN_KEY: Columns = { tenant: "text", run_id: "text" };

export const RUN: Columns = {
  ...RUN_KEY,
  parent_run_id: "text",
  agent_id: "text",
  status: "text",
  origin: "text",
  termination_code: "text",
  created_at: "float8",
  updated_at: "float8",
  ...STORED_TEXT,
};

export const CALL_KEY: Columns = { ...RUN_KEY, call_id: "text" };

const CALL_STATE: Columns = { call_id: "text", status: "text", ...STORED_TEXT };

export const CALL: Columns = { tenant: "text", ...CALL_STATE };

export const CHANGING_CALL: Columns = { run_key: "int8", ...CALL_STATE };

export const DECISION_KEY: Columns = { ...CALL_KEY, suspension: "int8" };

export const CHANGING_DECISION: Columns = { ...DECISION_KEY, is_pending: "int4", wake_entry_id: "text" };

export const DECISION: Columns = { ...CHANGING_DECISION, ...STORED_TEXT };

export const ENTRY_KEY: Columns = { tenant: "text", entry_id: "text" };

export const CHANGING_ENTRY: Columns = {
  ...ENTRY_KEY,
  generation: "int4",
  status: "text",
  place: "text",
  available_at: "float8",
  attempts: "int4",
  last_error: "text",
  reason: "text",
  into_run: "text",
  updated_at: "float8",
};

export const ENTRY: Columns = {
  ...CHANGING_ENTRY,
  arrival: "int4",
  kind: "text",
  run_id: "text",
  busy_policy: "text",
  rolls_back: "text",
  sender_id: "text",
  priority: "float8",
  dedupe_key: "text",
  created_at: "float8",
  texts_version: "int4",
  ...STORED_TEXT,
};

export const STORED_ENTRY: Columns = { ...ENTRY, dedupe_hash: "int4" };

export const SEGMENT: Columns = {
  last_seq: "int4",
  first_seq: "int4",
  epoch: "int4",
  version: "int4",
  ...STORED_TEXT,
};

export const SNAPSHOT: Columns = { version: "int4", ...STORED_TEXT };
