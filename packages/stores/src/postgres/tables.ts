import type { Columns } from "./table.ts";

/** The columns that are written, by table; `key` and `thread_key` are the database's. */

const STORED_TEXT: Columns = { format: "int2", checksum: "int4", body: "text" };

export const THREAD_KEY: Columns = { tenant: "text", thread_id: "text" };

/** What a commit under a claim moves of a thread's row. */
export const HEAD_COMMIT: Columns = {
  version: "int8",
  digest: "text",
  messages: "int8",
  open_run_id: "text",
  recover_at: "float8",
  updated_at: "float8",
};

/** What the revision guards. */
export const HEAD_INBOX: Columns = {
  revision: "int8",
  generation: "int8",
  arrivals: "int8",
  is_given_back: "int4",
  work_need: "text",
};

/** What begins or ends with a claim. */
export const HEAD_CLAIM: Columns = {
  epoch: "int8",
  claim_owner: "text",
  claim_epoch: "int8",
  claim_until: "float8",
  claim_kind: "text",
  claim_entry: "text",
  promised_version: "int8",
  work_rank: "int4",
  work_at: "float8",
};

/** What only an operation changes that has locked the thread and read it. */
export const HEAD_REST: Columns = {
  pruned_version: "int8",
  damage: "text",
  lost_version: "int8",
  lost_claims: "int4",
};

/** What never changes. */
const HEAD_FIXED: Columns = { resource_id: "text", parent_thread_id: "text", created_at: "float8" };

export const THREAD: Columns = {
  ...THREAD_KEY,
  ...HEAD_COMMIT,
  ...HEAD_INBOX,
  ...HEAD_CLAIM,
  ...HEAD_REST,
  ...HEAD_FIXED,
};

export const METADATA: Columns = { format: "int2", checksum: "int4", metadata: "text" };

export const COMMIT: Columns = {
  version: "int4",
  part: "int4",
  changeset_id: "text",
  run_id: "text",
  epoch: "int4",
  first_seq: "int4",
  last_seq: "int4",
  closed_run: "text",
  closed_first_seq: "int4",
  closed_last_seq: "int4",
  first_position: "int4",
  message_count: "int4",
  shown_count: "int4",
  digest: "text",
  format: "int2",
  checksums: "text",
  messages: "text",
  calls: "text",
  patches: "text",
  events: "text",
  rest: "text",
};

export const THREAD_ID: Columns = { kind: "text", id: "text", number: "int4" };

export const SUPERSEDED: Columns = { first_position: "int4", last_position: "int4", version: "int4" };

export const BLOB_REF: Columns = { tenant: "text", ref: "text" };

export const RUN_KEY: Columns = { tenant: "text", run_id: "text" };

export const CHANGING_RUN: Columns = {
  parent_run_id: "text",
  agent_id: "text",
  status: "text",
  origin: "text",
  termination_code: "text",
  created_at: "float8",
  updated_at: "float8",
  last_seq: "int4",
  last_version: "int4",
  ...STORED_TEXT,
};

export const RUN: Columns = { ...RUN_KEY, ...CHANGING_RUN, first_version: "int4" };

export const SUSPENDED_KEY: Columns = { ...RUN_KEY, call_id: "text" };

/** `pending_key` is the `idKey` of the id that the call has outside. */
export const SUSPENDED: Columns = { ...SUSPENDED_KEY, pending_key: "text" };

/** `call_key` is the `idKey` of the call: an index takes no longer ones. */
export const DECISION_KEY: Columns = { ...RUN_KEY, call_key: "text", suspension: "int8" };

export const CHANGING_DECISION: Columns = { is_pending: "int4", wake_entry_id: "text" };

export const DECISION: Columns = { ...DECISION_KEY, call_id: "text", ...CHANGING_DECISION, ...STORED_TEXT };

export const ENTRY_KEY: Columns = { tenant: "text", entry_id: "text" };

export const CHANGING_ENTRY: Columns = {
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
  ...ENTRY_KEY,
  ...CHANGING_ENTRY,
  arrival: "int4",
  kind: "text",
  run_id: "text",
  agent_id: "text",
  busy_policy: "text",
  rolls_back: "text",
  sender_id: "text",
  priority: "float8",
  dedupe_key: "text",
  created_at: "float8",
  ...STORED_TEXT,
};

export const SNAPSHOT: Columns = { version: "int4", ...STORED_TEXT };
