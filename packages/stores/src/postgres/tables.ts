/** The columns that are written, by table; `key` and what has a default are the database's. */

const STORED_TEXT = { format: "int4", checksum: "int8", body: "text" } as const;

/** Where everything of a thread is filed. */
export const THREAD_KEY = { tenant: "text", thread_id: "text" } as const;

export const THREAD = {
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
} as const;

export const METADATA = { format: "int4", checksum: "int8", metadata: "text" } as const;

export const CHANGESET = {
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
} as const;

export const MESSAGE = {
  ...THREAD_KEY,
  position: "int8",
  id: "text",
  id_hash: "int8",
  version: "int8",
  is_internal: "int4",
  ...STORED_TEXT,
} as const;

export const RUN_KEY = { tenant: "text", run_id: "text" } as const;

export const RUN = {
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
} as const;

export const CALL_KEY = { ...RUN_KEY, call_id: "text" } as const;

export const CALL = { ...CALL_KEY, thread_id: "text", status: "text", ...STORED_TEXT } as const;

export const CHANGING_CALL = { ...CALL_KEY, status: "text", ...STORED_TEXT } as const;

export const DECISION_KEY = { ...CALL_KEY, suspension: "int8" } as const;

export const CHANGING_DECISION = { ...DECISION_KEY, is_pending: "int4", wake_entry_id: "text" } as const;

export const DECISION = { ...CHANGING_DECISION, ...STORED_TEXT } as const;

export const ENTRY_KEY = { tenant: "text", entry_id: "text" } as const;

export const CHANGING_ENTRY = {
  ...ENTRY_KEY,
  status: "text",
  place: "text",
  available_at: "float8",
  attempts: "int8",
  last_error: "text",
  reason: "text",
  into_run: "text",
  updated_at: "float8",
} as const;

export const ENTRY = {
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
} as const;

export const STORED_ENTRY = { ...ENTRY, dedupe_hash: "int8" } as const;

export const SEGMENT = {
  ...RUN_KEY,
  last_seq: "int8",
  first_seq: "int8",
  epoch: "int8",
  thread_id: "text",
  version: "int8",
  ...STORED_TEXT,
} as const;

export const SNAPSHOT = { ...THREAD_KEY, version: "int8", ...STORED_TEXT } as const;
