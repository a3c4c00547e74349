import type { Columns } from "./table.ts";

/** The columns that are written, by table; `key` and what has a default are the database's. */

const STORED_TEXT: Columns = { format: "int4", checksum: "int8", body: "text" };

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
  damage: "text",
  work_rank: "int4",
  work_at: "float8",
};

export const METADATA: Columns = { format: "int4", checksum: "int8", metadata: "text" };

export const CHANGESET: Columns = {
  ...THREAD_KEY,
  version: "int8",
  changeset_id: "text",
  id_hash: "int8",
  run_id: "text",
  first_position: "int8",
  messages: "int8",
  segments: "text",
  ...STORED_TEXT,
  patches_checksum: "int8",
  patches: "text",
};

export const MESSAGE: Columns = {
  ...THREAD_KEY,
  position: "int8",
  id: "text",
  id_hash: "int8",
  version: "int8",
  is_internal: "int4",
  ...STORED_TEXT,
};

export const RUN_KEY: Columns = { tenant: "text", run_id: "text" };

export const RUN: Columns = {
  ...RUN_KEY,
  thread_id: "text",
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

export const CALL: Columns = { ...CALL_KEY, thread_id: "text", status: "text", ...STORED_TEXT };

export const CHANGING_CALL: Columns = { ...CALL_KEY, status: "text", ...STORED_TEXT };

export const DECISION_KEY: Columns = { ...CALL_KEY, suspension: "int8" };

export const CHANGING_DECISION: Columns = { ...DECISION_KEY, is_pending: "int4", wake_entry_id: "text" };

export const DECISION: Columns = { ...CHANGING_DECISION, ...STORED_TEXT };

export const ENTRY_KEY: Columns = { tenant: "text", entry_id: "text" };

export const CHANGING_ENTRY: Columns = {
  ...ENTRY_KEY,
  status: "text",
  place: "text",
  available_at: "float8",
  attempts: "int8",
  last_error: "text",
  reason: "text",
  into_run: "text",
  updated_at: "float8",
};

export const ENTRY: Columns = {
  ...CHANGING_ENTRY,
  thread_id: "text",
  arrival: "int8",
  kind: "text",
  run_id: "text",
  busy_policy: "text",
  rolls_back: "text",
  sender_id: "text",
  priority: "float8",
  dedupe_key: "text",
  generation: "int8",
  created_at: "float8",
  texts_version: "int8",
  ...STORED_TEXT,
};

export const STORED_ENTRY: Columns = { ...ENTRY, dedupe_hash: "int8" };

export const SEGMENT: Columns = {
  ...RUN_KEY,
  last_seq: "int8",
  first_seq: "int8",
  epoch: "int8",
  thread_id: "text",
  version: "int8",
  ...STORED_TEXT,
};

export const SNAPSHOT: Columns = { ...THREAD_KEY, version: "int8", ...STORED_TEXT };
