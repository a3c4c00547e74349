/**
 * Words of our own records, keys and values alike, in the order of their codes. Part of the stored format: they are only ever
 * added to at the end.
 */
const NAMES: readonly string[] = [
  "type",
  "data",
  "step_id",
  "message_id",
  "id",
  "ops",
  "op",
  "path",
  "value",
  "timestamp_ms",
  "run_id",
  "thread_id",
  "agent_id",
  "origin",
  "status",
  "source_mailbox_entry_id",
  "input_tokens",
  "output_tokens",
  "steps",
  "base_version",
  "last_seq",
  "recoveries",
  "created_at",
  "updated_at",
  "termination_code",
  "definition",
  "reasons",
  "runs",
  "calls",
  "source",
  "runtime",
  "__run",
  "merge_object",
  "done_reason",
  "running",
  "metadata",
  "call_id",
  "tool_name",
  "tool_id",
  "tool_version",
  "provider_call_id",
  "arguments",
  "suspension",
  "result",
  "response",
  "termination",
  "outcome",
  "message",
  "duration_ms",
  "usage",
  "model",
  "entry_id",
  "mailbox_effects",
  "accepted",
  "user_message",
  "assistant_turn",
  "tool_intent",
  "tool_results",
  "run_finished",
  "run_start",
  "run_finish",
  "step_start",
  "step_end",
  "inference_complete",
  "natural",
  "natural_end",
  "tool_call_start",
  "tool_call_ready",
  "tool_call_done",
  "__tool_call_scope",
  "tool_call_state",
  "succeeded",
  "success",
  "delete",
  "messages",
  "content",
  "role",
  "name",
  "tool_calls",
  "tool_call_id",
  "step_index",
  "termination_detail",
  "parent_run_id",
  "parent_thread_id",
  "resource_id",
  "policy",
  "supersedes",
  "actions",
  "consumed_decisions",
  "blob_refs",
  "turns",
  "recordings",
  "wakes",
  "binding_hash",
  "ticket",
  "expires_at",
  "action",
  "into_run",
  "suspended",
  "waiting",
  "cancelled",
  "failed",
  "resuming",
  "place",
];

/** Each name in its quotes, with its code in them. */
const CODES: ReadonlyMap<string, string> = new Map(NAMES.map((name, code) => [`"${name}"`, `"$${code.toString(36)}"`]));

/** The other way round, both without the closing quote. */
const NAMES_BY_CODE: ReadonlyMap<string, string> = new Map(
  [...CODES].map(([name, code]) => [code.slice(0, -1), name.slice(0, -1)]),
);

/**
 * Writes strings of a JSON text that are known words as `$` and a code, and gives those that begin with `$` another one. In JSON
 * text a quote, a word and a quote are always a whole string; where the first quote is escaped, at the end of a longer one, the
 * way back undoes the same.
 */
export function shortenNames(json: string): string {
  return json.replace(/"[a-z_]+"|"\$/g, (match) => (match === '"$' ? '"$$' : (CODES.get(match) ?? match)));
}

/** What such a part of a text was before: from a quote and a `$` to where the next quote comes. */
export function restoreName(part: string): string {
  return NAMES_BY_CODE.get(part) ?? (part.startsWith('"$$') ? `"${part.slice(2)}` : part);
}
