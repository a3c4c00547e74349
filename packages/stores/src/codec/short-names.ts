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

const CODES: ReadonlyMap<string, string> = new Map(NAMES.map((name, code) => [name, code.toString(36)]));

/**
 * Writes strings of a JSON text that are known words as `$` and a code, and gives those that begin with `$` another one. In JSON
 * text a quote, a word and a quote are always a whole string; where the first quote is escaped, at the end of a longer one, the
 * way back undoes the same.
 */
export function shortenNames(json: string): string {
  return json.replace(/"(?:([a-z_]+)"|\$)/g, (match, name: string | undefined) => {
    if (name === undefined) return '"$$';
    const code = CODES.get(name);
    return code === undefined ? match : `"$${code}"`;
  });
}

export function restoreNames(text: string): string {
  if (!text.includes('"$')) return text;
  return text.replace(/"\$(?:\$|([0-9a-z]+)")/g, (match, code: string | undefined) => {
    if (code === undefined) return '"$';
    const name = NAMES[Number.parseInt(code, 36)];
    return name === undefined ? match : `"${name}"`;
  });
}
